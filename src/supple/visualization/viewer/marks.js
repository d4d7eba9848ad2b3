"use strict";
// What lies over the picture: paths of points, the place of the largest value, names of runs.
const TRACES = ["#d1345b", "#1b7f79", "#7a3ea8", "#b86e00", "#1f5fbf", "#4d4d4d"];

// Place on the window (px of the page, and depth) of a place in the scene; nothing behind the camera.
function project(part, place, ratio, height) {
  const m = part.view.matrix, row = (r) => m[r] * place[0] + m[4 + r] * place[1] + m[8 + r] * place[2] + m[12 + r], w = row(3);
  if (!(w > 0)) return null;
  const [left, bottom, wide, high] = part.box;
  return [(left + (0.5 + 0.5 * row(0) / w) * wide) / ratio, height - (bottom + (0.5 + 0.5 * row(1) / w) * high) / ratio, w];
}

class Marks {
  constructor(viewer) {
    this.viewer = viewer; this.canvas = find("over"); this.pen = this.canvas.getContext("2d");
    this.traces = viewer.scene.traces.map((trace) => ({ ...trace, given: true }));
    this.list();
  }
  resize(width, height, ratio) { this.ratio = ratio; this.height = height; this.canvas.width = Math.round(width * ratio); this.canvas.height = Math.round(height * ratio); }
  list() {
    const items = this.traces.map((trace) => {
      const item = document.createElement("span"), mark = document.createElement("i"), away = document.createElement("button");
      mark.style.background = trace.colour; away.textContent = "×"; away.title = "remove this path"; item.append(mark, trace.name, away);
      away.addEventListener("click", () => { this.traces = this.traces.filter((one) => one !== trace); this.list(); this.viewer.change(); });
      return item;
    });
    find("traces").replaceChildren(...items); find("tracing").hidden = !items.length;
  }
  // The path of the vertex that is seen nearest to a place of the window.
  pick(x, y) {
    const { viewer } = this, part = viewer.parts.find((one) => x * this.ratio >= one.box[0] && x * this.ratio < one.box[0] + one.box[2]), near = [];
    if (!part) return;
    for (const own of viewer.renderer.seen(part)) {
      if (own.thing.kind !== "bodies" || own.thing.run === part.ghost) continue;
      for (let i = 0; i < own.vertices; i++) {
        const seen = project(part, this.now(own, i), this.ratio, this.height); if (!seen) continue;
        const away = Math.hypot(seen[0] - x, seen[1] - y); if (away < 12) near.push({ own, vertex: i, away, depth: seen[2] });
      }
    }
    if (!near.length) return;
    const least = Math.min(...near.map((one) => one.away)), found = near.filter((one) => one.away < least + 3).sort((a, b) => a.depth - b.depth)[0];
    const { own, vertex } = found, rest = [0, 1, 2].map((c) => shown(own.thing.points[3 * vertex + c]));
    const several = viewer.scene.runs.length > 1 ? `${viewer.scene.runs[own.thing.run].label}: ` : "";
    this.traces.push({ name: `${several}${own.thing.name} (${rest.join(", ")})`, run: own.thing.run, thing: own.thing, vertex, colour: TRACES[this.traces.length % TRACES.length] });
    this.list(); viewer.change();
  }
  now(own, vertex) { const [k, share] = this.viewer.at[own.thing.run]; return placeOf(own.thing, vertex, k, share, this.viewer.renderer.magnification); }
  place(trace, k, share) {
    if (!trace.thing) return mix(trace.places, 3, k, share, [0, 0, 0]);
    return placeOf(trace.thing, trace.vertex, k, share, this.viewer.renderer.magnification);
  }
  draw(parts) {
    const { pen, ratio, viewer } = this;
    pen.setTransform(1, 0, 0, 1, 0, 0); pen.clearRect(0, 0, this.canvas.width, this.canvas.height); pen.scale(ratio, ratio);
    for (const part of parts) {
      const [left, , wide] = part.box.map((c) => c / ratio);
      pen.save(); pen.beginPath(); pen.rect(left, 0, wide, this.height); pen.clip();
      for (const trace of this.traces) if (part.runs.includes(trace.run) || part.ghost === trace.run) this.path(part, trace);
      if (viewer.renderer.colouring !== "body") this.peak(part);
      pen.restore();
      if (parts.length > 1) { pen.font = "600 13px system-ui, sans-serif"; pen.textAlign = "right"; pen.fillStyle = "#2b3036"; pen.fillText(viewer.scene.runs[part.runs[0]].label, left + wide - 14, this.height - 14); }
      if (left > 0) { pen.fillStyle = "#c8d0d8"; pen.fillRect(left - 0.5, 0, 1, this.height); }
    }
  }
  path(part, trace) {
    const { pen, viewer } = this, { t } = viewer.scene.runs[trace.run], [k, share] = viewer.at[trace.run], { first, last } = viewer;
    const line = (from, to, end, strong) => {
      pen.globalAlpha = strong ? 1 : 0.4; pen.lineWidth = strong ? 2.2 : 1.2; pen.strokeStyle = trace.colour; pen.lineJoin = "round"; pen.setLineDash(part.ghost === trace.run ? [5, 4] : []); pen.beginPath();
      let open = false;
      for (let i = from; i <= to + 1; i++) {
        if (i > to && !end) break;
        const seen = project(part, i > to ? end : this.place(trace, i, 0), this.ratio, this.height);
        if (!seen) { open = false; continue; }
        if (open) pen.lineTo(seen[0], seen[1]); else pen.moveTo(seen[0], seen[1]);
        open = true;
      }
      pen.stroke(); pen.globalAlpha = 1; pen.setLineDash([]);
    };
    let from = 0, to = t.length - 1;
    while (from < to && t[from] < first - 1e-6 * (last - first)) from++;
    while (to > from && t[to] > last + 1e-6 * (last - first)) to--;
    const here = this.place(trace, k, share), seen = project(part, here, this.ratio, this.height);
    line(from, to, null, false); line(from, Math.min(k, to), here, true);
    if (seen) { pen.fillStyle = trace.colour; pen.beginPath(); pen.arc(seen[0], seen[1], 4, 0, 2 * Math.PI); pen.fill(); }
  }
  // The largest value of the runs of a part at this time, marked where it is.
  peak(part) {
    const { pen, viewer } = this, { renderer, scene } = viewer, what = renderer.colouring; let best = null;
    for (const own of renderer.seen(part)) {
      if (own.thing.run === part.ghost || !renderer.valued(own)) continue;
      const found = largestOf(own.thing, own.away, what);
      if (!best || found.value > best.value) best = { ...found, own };
    }
    if (!best || !(renderer.most[what] > 0)) return;
    if (part.runs.includes(0)) viewer.tellPeak(best.value, best.own.thing.name);
    const seen = project(part, this.now(best.own, best.vertex), this.ratio, this.height); if (!seen) return;
    const text = `max ${viewer.read(best.value)}`;
    pen.font = "600 12px system-ui, sans-serif"; pen.textAlign = "left"; const wide = pen.measureText(text).width;
    pen.strokeStyle = "#1c2127"; pen.lineWidth = 1.5; pen.beginPath(); pen.arc(seen[0], seen[1], 5, 0, 2 * Math.PI); pen.moveTo(seen[0] + 4, seen[1] - 4); pen.lineTo(seen[0] + 14, seen[1] - 14); pen.stroke();
    pen.fillStyle = "#ffffffd9"; pen.fillRect(seen[0] + 12, seen[1] - 31, wide + 10, 18); pen.fillStyle = "#1c2127"; pen.fillText(text, seen[0] + 17, seen[1] - 18);
  }
}
