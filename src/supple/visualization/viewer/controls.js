"use strict";
// The clock and everything that can be chosen.
const find = (id) => document.getElementById(id);
const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const QUANTITIES = { displacement: ["elastic displacement (m)", 1, " m"], strain: ["equivalent strain, von Mises stress / E", 1, ""], stress: ["von Mises stress (MPa)", 1e-6, " MPa"] };
const rgb = (text) => [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16) / 255);
const shown = (value) => { const digits = Math.abs(value) >= 1e4 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(2) : String(Number(value.toPrecision(3))); return digits; };

class Viewer {
  constructor(scene) {
    this.scene = scene; this.canvas = find("view");
    this.renderer = new Renderer(this.canvas, scene);
    for (const own of this.renderer.things) { own.colour = rgb(own.thing.colour); own.grey = own.thing.kind === "bodies" ? [0.72, 0.74, 0.77] : own.colour; }
    this.camera = new Camera(scene);
    this.compare = scene.runs.length > 1 ? "ghost" : "off"; this.playing = false; this.dirty = true; this.pictures = 0; this.before = null;
    this.marks = new Marks(this);
    this.plots = scene.panels.map((panel) => new Plot(panel, (time) => this.seek(time)));
    this.facts(); this.choices(); this.pointer(); this.clock(); this.open(0);
    new ResizeObserver(() => this.resize()).observe(find("stage"));
    new ResizeObserver(() => this.replot()).observe(find("plots"));
    this.resize(); this.replot();
    if (scene.modes) this.play(true);
    requestAnimationFrame((stamp) => this.tick(stamp));
  }
  facts() {
    const { runs, chapters, modes } = this.scene;
    for (const { label, verdict, grade } of runs) {
      const line = document.createElement("p"), words = document.createElement("span");
      line.className = `verdict ${grade}`; words.textContent = runs.length > 1 ? `${label}: ${verdict}` : verdict;
      words.title = verdict; line.append(document.createElement("i"), words); document.querySelector("header").append(line);
    }
    find("comparing").hidden = runs.length < 2; find("choosing").hidden = !modes;
    chapters.forEach((chapter, k) => find("chapter").append(new Option(chapter.title, k)));
    find("chapter").addEventListener("change", () => this.open(Number(find("chapter").value)));
    find("beside").addEventListener("change", () => { this.compare = find("beside").value; this.change(); });
    for (const one of [document.querySelector("footer"), find("hint")]) one.hidden = !(chapters[0].end > chapters[0].begin);
  }
  // Shows one of the modes, or the whole run.
  open(k) {
    const chapter = this.chapter = this.scene.chapters[k];
    this.first = chapter.begin; this.last = chapter.end; this.now = this.first; find("chapter").value = k;
    find("title").textContent = chapter.title; find("title").hidden = !chapter.title;
    this.renderer.most = Object.fromEntries(Object.entries(chapter.most).map(([what, peak]) => [what, peak.value]));
    this.colour(this.renderer.colouring);
  }
  choices() {
    const { scene, renderer } = this, known = (what) => scene.chapters.some((chapter) => chapter.most[what].value > 0);
    const bends = known("displacement") && scene.things.some((thing) => thing.magnified && thing.scales.length);
    find("magnifying").hidden = !bends; if (scene.modes) find("magnifying").firstChild.textContent = "amplitude ";
    if (scene.modes) { find("magnify").min = -2; find("magnify").max = 1; }
    const set = () => { const m = Math.pow(10, Number(find("magnify").value)); renderer.magnification = m; find("times").textContent = `×${m < 10 ? m.toPrecision(2) * 1 : Math.round(m)}`; this.change(); };
    find("magnify").addEventListener("input", set);
    find("magnify").addEventListener("dblclick", () => { find("magnify").value = 0; set(); });
    for (const [what, words] of [["displacement", "displacement"], ["strain", "strain"], ["stress", "von Mises stress"]]) if (known(what)) find("colouring").append(new Option(words, what));
    find("colouring").parentElement.hidden = !known("displacement");
    find("greatest").addEventListener("click", () => { this.play(false); this.seek(this.chapter.most[this.renderer.colouring].t); });
    find("bar").style.background = `linear-gradient(90deg, ${scene.scale.map((c) => `rgb(${c.map((x) => Math.round(255 * x)).join(" ")})`).join(", ")})`;
    find("colouring").addEventListener("change", () => this.colour(find("colouring").value));
    const kinds = ["bodies", "joints", "forces", "constraints", "reactions", "marks"].filter((kind) => scene.things.some((thing) => thing.kind === kind));
    for (const kind of [...kinds, "edges"]) {
      const label = document.createElement("label"), box = document.createElement("input");
      box.type = "checkbox"; box.checked = renderer.shown[kind]; box.id = `show-${kind}`; label.append(box, { marks: "axes, gravity", reactions: "joint forces" }[kind] || kind); find("kinds").append(label);
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
  // A value of the quantity that is shown, in words; of modes in parts of the largest.
  read(value) {
    const what = this.renderer.colouring, [, factor, unit] = QUANTITIES[what];
    return this.scene.modes ? shown(value / (this.renderer.most[what] || 1)) : `${shown(factor * value)}${unit}`;
  }
  tellPeak(value, name) { find("now").textContent = this.scene.modes ? `now ${this.read(value)} in ${name}` : `now ${this.read(value)}, ${name}`; }
  colour(which) {
    this.renderer.colouring = which; find("colouring").value = which; find("legend").hidden = which === "body";
    if (which !== "body") {
      const [title, factor] = QUANTITIES[which], { modes } = this.scene, peak = this.chapter.most[which], most = modes ? 1 : factor * peak.value;
      find("legend").firstElementChild.textContent = modes ? `${title.split(/[ ,]*[(]|, /)[0].replace("elastic ", "")}, part of the largest` : title;
      find("half").textContent = shown(most / 2); find("most").textContent = shown(most);
      const still = !(this.last > this.first);
      find("now").textContent = ""; find("greatest").hidden = !(peak.value > 0);
      find("greatest").textContent = modes ? `largest in ${peak.name}` : `largest ${this.read(peak.value)}${still ? "" : ` at ${shown(peak.t)} s`}, ${peak.name}`;
    }
    this.change();
  }
  pointer() {
    const { canvas, camera } = this, held = new Map(); let gap = 0, way = 0;
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); held.set(event.pointerId, [event.clientX, event.clientY]); gap = 0; way = 0; });
    canvas.addEventListener("pointermove", (event) => {
      const last = held.get(event.pointerId); if (!last) return;
      const dx = event.clientX - last[0], dy = event.clientY - last[1]; way += Math.abs(dx) + Math.abs(dy); held.set(event.pointerId, [event.clientX, event.clientY]);
      if (held.size === 2) {
        const [a, b] = [...held.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]);
        if (gap) camera.zoom(gap / now); gap = now; camera.pan(dx / 2, dy / 2, canvas.clientHeight);
      } else if (event.buttons & 6 || event.shiftKey) camera.pan(dx, dy, canvas.clientHeight); else camera.orbit(dx, dy);
      this.change();
    });
    canvas.addEventListener("pointerup", (event) => { const box = canvas.getBoundingClientRect(); if (held.size === 1 && way < 4 && event.button === 0) this.marks.pick(event.clientX - box.left, event.clientY - box.top); });
    for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, (event) => held.delete(event.pointerId));
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); camera.zoom(Math.exp(0.0012 * event.deltaY)); this.change(); }, { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", () => { camera.home("iso"); this.change(); });
  }
  clock() {
    const { modes, chapters } = this.scene, span = chapters[0].end - chapters[0].begin;
    for (const speed of SPEEDS) find("speed").append(new Option(modes ? `${speed} cycles/s` : `${speed} ×`, speed));
    const wanted = modes ? 0.5 : span > 0 ? Math.min(Math.max(1, span / 40), span / 4) : 1;
    find("speed").value = SPEEDS.reduce((best, s) => Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best, 1);
    find("play").addEventListener("click", () => this.play(!this.playing));
    find("time").addEventListener("input", () => { this.play(false); this.seek(this.first + (this.last - this.first) * Number(find("time").value) / 1000); });
    document.addEventListener("keydown", (event) => {
      if (["INPUT", "SELECT", "BUTTON"].includes(event.target.tagName) && event.key !== " ") return;
      if (event.key === " " && event.target.tagName !== "BUTTON") { event.preventDefault(); this.play(!this.playing); }
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) { const { t } = this.scene.runs[0], [k, share] = locate(t, this.now); this.seek(t[Math.min(Math.max(k + (step < 0 && share > 0 ? 0 : step), 0), t.length - 1)]); }
    });
  }
  play(on) { this.playing = on && this.last > this.first; this.before = null; if (this.playing && this.now >= this.last) this.now = this.first; find("play").classList.toggle("on", this.playing); this.change(); }
  seek(time) { this.now = Math.min(Math.max(time, this.first), this.last); this.change(); }
  change() { this.dirty = true; }
  resize() {
    const ratio = window.devicePixelRatio || 1, stage = find("stage");
    this.canvas.width = Math.max(1, Math.round(stage.clientWidth * ratio)); this.canvas.height = Math.max(1, Math.round(stage.clientHeight * ratio));
    this.marks.resize(stage.clientWidth, stage.clientHeight, ratio); this.change();
  }
  replot() { for (const plot of this.plots) plot.prepare(); this.change(); }
  // Parts of the window: one, or two with the same camera.
  divide() {
    const { width, height } = this.canvas, ghost = this.compare === "ghost" ? 1 : -1;
    if (this.compare !== "beside") return [{ box: [0, 0, width, height], runs: [0], ghost, view: this.camera.view(width / height) }];
    const half = Math.max(1, Math.floor(width / 2)), view = this.camera.view(half / height);
    return [{ box: [0, 0, half, height], runs: [0], ghost, view }, { box: [half, 0, half, height], runs: [1], ghost, view }];
  }
  tick(stamp) {
    if (this.playing) {
      if (this.before !== null) this.now += Number(find("speed").value) * (stamp - this.before) / 1000;
      if (this.now > this.last) this.now = this.scene.modes ? this.first + (this.now - this.first) % (this.last - this.first) : this.first;
      this.before = stamp; this.dirty = true;
    }
    if (this.dirty) {
      this.dirty = false; this.pictures++;
      this.renderer.set(this.now);
      this.at = this.scene.runs.map((run) => locate(run.t, this.now)); this.parts = this.divide();
      this.renderer.draw(this.parts); this.marks.draw(this.parts);
      for (const plot of this.plots) plot.draw(this.now);
      const span = this.last - this.first;
      find("time").value = span > 0 ? 1000 * (this.now - this.first) / span : 0;
      const digits = span > 0 ? Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(span)))) : 2;
      find("clock").textContent = this.scene.modes ? `${(this.now - this.first).toFixed(2)} cycles` : `${this.now.toFixed(digits)} / ${this.last.toFixed(digits)} s`;
    }
    requestAnimationFrame((next) => this.tick(next));
  }
}

readScene().then((scene) => { window.viewer = new Viewer(scene); }).catch((error) => {
  find("problem").hidden = false; find("problem").textContent = `The animation cannot be shown: ${error.message}`; console.error(error);
});
