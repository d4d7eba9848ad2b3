"use strict";
// The camera, the clock and everything that can be chosen.
const find = (id) => document.getElementById(id);
const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const rgb = (text) => [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16) / 255);
const shown = (value) => { const digits = Math.abs(value) >= 1e4 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(2) : String(Number(value.toPrecision(3))); return digits; };

class Camera {
  constructor(scene) { this.scene = scene; this.home("iso"); }
  home(which) {
    const { scene } = this, up = scene.up;
    this.target = scene.centre.slice(); this.distance = 1.85 * scene.size;
    const along = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    this.e2 = unit(cross(up, along)); this.e1 = cross(this.e2, up);
    const fixed = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] }[which];
    const away = fixed || add(add(scale(this.e1, 0.62), scale(this.e2, -0.95)), scale(up, 0.42));
    const u = unit(away);
    this.height = Math.asin(Math.min(Math.max(dot(u, up), -1), 1)); this.height = Math.min(Math.max(this.height, -1.55), 1.55);
    const flat = sub(u, scale(up, dot(u, up)));
    this.turn = Math.hypot(...flat) > 1e-6 ? Math.atan2(dot(flat, this.e2), dot(flat, this.e1)) : -Math.PI / 2;
  }
  direction() {
    const c = Math.cos(this.height);
    return add(add(scale(this.e1, c * Math.cos(this.turn)), scale(this.e2, c * Math.sin(this.turn))), scale(this.scene.up, Math.sin(this.height)));
  }
  view(aspect) {
    const away = this.direction(), narrow = Math.max(1, 1.15 / aspect), eye = add(this.target, scale(away, this.distance * narrow));
    const near = Math.max(0.002 * this.distance, this.distance * narrow - 6 * this.scene.size), far = this.distance * narrow + 8 * this.scene.size;
    const matrix = times(perspective(0.56, aspect, Math.max(near, 1e-4 * far), far), lookAt(eye, this.target, this.scene.up));
    const side = unit(cross(this.scene.up, away)), front = cross(side, this.scene.up);
    return { matrix, eye, side: scale(side, -1), front };
  }
  orbit(dx, dy) { this.turn -= 0.008 * dx; this.height = Math.min(Math.max(this.height + 0.008 * dy, -1.55), 1.55); }
  pan(dx, dy, height) {
    const away = this.direction(), side = unit(cross(this.scene.up, away)), over = cross(away, side), step = 0.58 * this.distance / height;
    this.target = add(this.target, add(scale(side, -dx * step), scale(over, dy * step)));
  }
  zoom(factor) { this.distance = Math.min(Math.max(this.distance * factor, 0.01 * this.scene.size), 20 * this.scene.size); }
}

class Viewer {
  constructor(scene) {
    this.scene = scene; this.canvas = find("view");
    this.renderer = new Renderer(this.canvas, scene);
    for (const own of this.renderer.things) { own.colour = rgb(own.thing.colour); own.grey = own.thing.kind === "bodies" ? [0.72, 0.74, 0.77] : own.colour; }
    this.camera = new Camera(scene);
    this.first = scene.t[0]; this.last = scene.t[scene.t.length - 1]; this.now = this.first; this.playing = false; this.dirty = true;
    this.plots = scene.panels.map((panel) => new Plot(panel, (time) => this.seek(time)));
    this.facts(); this.choices(); this.pointer(); this.clock();
    new ResizeObserver(() => this.resize()).observe(find("stage"));
    new ResizeObserver(() => this.replot()).observe(find("plots"));
    this.resize(); this.replot();
    this.pictures = 0; this.before = null;
    requestAnimationFrame((stamp) => this.tick(stamp));
  }
  facts() {
    const { verdict, grade } = this.scene;
    find("verdict").className = grade; find("verdict").lastElementChild.textContent = verdict;
  }
  choices() {
    const { scene, renderer } = this, bends = scene.things.some((thing) => thing.magnified && thing.scales.length);
    find("magnifying").hidden = !bends; if (!bends) find("magnifying").style.display = "none";
    const set = () => { const m = Math.pow(10, Number(find("magnify").value)); renderer.magnification = m; find("times").textContent = `×${m < 10 ? m.toPrecision(2) * 1 : Math.round(m)}`; this.change(); };
    find("magnify").addEventListener("input", set);
    find("magnify").addEventListener("dblclick", () => { find("magnify").value = 0; set(); });
    if (scene.things.some((thing) => thing.scales.length)) find("colouring").append(new Option("displacement", "displacement"), ...(scene.strongest > 0 ? [new Option("von Mises stress", "stress")] : []));
    else find("colouring").parentElement.style.display = "none";
    find("bar").style.background = `linear-gradient(90deg, ${scene.scale.map((c) => `rgb(${c.map((x) => Math.round(255 * x)).join(" ")})`).join(", ")})`;
    find("colouring").addEventListener("change", () => this.colour(find("colouring").value));
    const kinds = ["bodies", "joints", "forces", "constraints", "marks"].filter((kind) => scene.things.some((thing) => thing.kind === kind));
    for (const kind of [...kinds, "edges"]) {
      const label = document.createElement("label"), box = document.createElement("input");
      box.type = "checkbox"; box.checked = true; box.id = `show-${kind}`; label.append(box, kind === "marks" ? "axes, gravity" : kind); find("kinds").append(label);
      box.addEventListener("change", () => { renderer.shown[kind] = box.checked; this.change(); });
    }
    const names = new Map();
    for (const own of renderer.things) if (own.thing.kind === "bodies") names.set(own.thing.name, [...(names.get(own.thing.name) || []), own]);
    for (const [name, owned] of names) {
      const item = document.createElement("span"), mark = document.createElement("i");
      mark.style.background = owned[0].thing.colour; item.append(mark, name); item.title = "show or hide"; find("names").append(item);
      item.addEventListener("click", () => { const on = !owned[0].visible; for (const own of owned) own.visible = on; item.classList.toggle("off", !on); this.change(); });
    }
    for (const button of document.querySelectorAll("#views button")) button.addEventListener("click", () => { this.camera.home(button.dataset.view); this.change(); });
  }
  colour(which) {
    const { scene } = this; this.renderer.colouring = which; find("colouring").value = which; find("legend").hidden = which === "body";
    const stress = which === "stress", most = stress ? 1e-6 * scene.strongest : scene.largest;
    find("legend").firstElementChild.textContent = stress ? "von Mises stress (MPa)" : "elastic displacement (m)";
    find("half").textContent = shown(most / 2); find("most").textContent = shown(most);
    this.change();
  }
  pointer() {
    const { canvas, camera } = this, held = new Map(); let gap = 0;
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); held.set(event.pointerId, [event.clientX, event.clientY]); gap = 0; });
    canvas.addEventListener("pointermove", (event) => {
      const last = held.get(event.pointerId); if (!last) return;
      const dx = event.clientX - last[0], dy = event.clientY - last[1]; held.set(event.pointerId, [event.clientX, event.clientY]);
      if (held.size === 2) {
        const [a, b] = [...held.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]);
        if (gap) camera.zoom(gap / now); gap = now; camera.pan(dx / 2, dy / 2, canvas.clientHeight);
      } else if (event.buttons & 6 || event.shiftKey) camera.pan(dx, dy, canvas.clientHeight); else camera.orbit(dx, dy);
      this.change();
    });
    for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, (event) => held.delete(event.pointerId));
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); camera.zoom(Math.exp(0.0012 * event.deltaY)); this.change(); }, { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", () => { camera.home("iso"); this.change(); });
  }
  clock() {
    const span = this.last - this.first;
    for (const speed of SPEEDS) find("speed").append(new Option(`${speed} ×`, speed));
    const wanted = span > 0 ? Math.min(Math.max(1, span / 40), span / 4) : 1;
    find("speed").value = SPEEDS.reduce((best, s) => Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best, 1);
    find("play").addEventListener("click", () => this.play(!this.playing));
    find("time").addEventListener("input", () => { this.play(false); this.seek(this.first + span * Number(find("time").value) / 1000); });
    document.addEventListener("keydown", (event) => {
      if (["INPUT", "SELECT", "BUTTON"].includes(event.target.tagName) && event.key !== " ") return;
      if (event.key === " " && event.target.tagName !== "BUTTON") { event.preventDefault(); this.play(!this.playing); }
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) { const [k, share] = locate(this.scene.t, this.now); this.seek(this.scene.t[Math.min(Math.max(k + (step < 0 && share > 0 ? 0 : step), 0), this.scene.t.length - 1)]); }
    });
  }
  play(on) { this.playing = on && this.last > this.first; this.before = null; if (this.playing && this.now >= this.last) this.now = this.first; find("play").classList.toggle("on", this.playing); this.change(); }
  seek(time) { this.now = Math.min(Math.max(time, this.first), this.last); this.change(); }
  change() { this.dirty = true; }
  resize() {
    const ratio = window.devicePixelRatio || 1, stage = find("stage");
    this.canvas.width = Math.max(1, Math.round(stage.clientWidth * ratio)); this.canvas.height = Math.max(1, Math.round(stage.clientHeight * ratio));
    this.change();
  }
  replot() { for (const plot of this.plots) plot.prepare(); this.change(); }
  tick(stamp) {
    if (this.playing) {
      if (this.before !== null) this.now += Number(find("speed").value) * (stamp - this.before) / 1000;
      if (this.now > this.last) this.now = this.first;
      this.before = stamp; this.dirty = true;
    }
    if (this.dirty) {
      this.dirty = false; this.pictures++;
      this.renderer.set(this.now);
      this.renderer.draw(this.camera.view(this.canvas.width / this.canvas.height));
      for (const plot of this.plots) plot.draw(this.now);
      const span = this.last - this.first;
      find("time").value = span > 0 ? 1000 * (this.now - this.first) / span : 0;
      const digits = span > 0 ? Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(span)))) : 2;
      find("clock").textContent = `${this.now.toFixed(digits)} / ${this.last.toFixed(digits)} s`;
    }
    requestAnimationFrame((next) => this.tick(next));
  }
}

readScene().then((scene) => { window.viewer = new Viewer(scene); }).catch((error) => {
  find("problem").hidden = false; find("problem").textContent = `The animation cannot be shown: ${error.message}`; console.error(error);
});
