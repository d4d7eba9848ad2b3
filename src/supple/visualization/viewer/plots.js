"use strict";
// Lines over time, with a mark at the time that is shown.
class Plot {
  constructor(panel, seek) {
    this.panel = panel;
    const figure = document.createElement("figure"), title = document.createElement("figcaption"), list = document.createElement("ul");
    title.textContent = panel.units && panel.units !== "1" ? `${panel.title} (${panel.units})` : panel.title;
    this.canvas = document.createElement("canvas");
    for (const line of panel.lines.length > 1 ? panel.lines : []) {
      const item = document.createElement("li"), mark = document.createElement("i");
      mark.style.background = line.dashed ? `repeating-linear-gradient(90deg, ${line.colour} 0 4px, transparent 4px 6px)` : line.colour; item.append(mark, line.label); list.append(item);
    }
    figure.append(title, this.canvas, list);
    document.getElementById("plots").append(figure);
    const at = (event) => {
      const box = this.canvas.getBoundingClientRect(), [low, high] = this.span(), x = (event.clientX - box.left - 44) / (box.width - 52);
      seek(low + Math.min(Math.max(x, 0), 1) * (high - low));
    };
    this.canvas.addEventListener("pointerdown", (event) => { this.canvas.setPointerCapture(event.pointerId); at(event); });
    this.canvas.addEventListener("pointermove", (event) => { if (event.buttons) at(event); });
  }
  span() { const every = this.panel.lines.map((line) => line.t); return [Math.min(...every.map((t) => t[0])), Math.max(...every.map((t) => t[t.length - 1]))]; }
  // The lines are drawn once for each size; the mark is drawn over them.
  prepare() {
    const { panel, canvas } = this, ratio = window.devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio)); canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    const kept = this.kept = document.createElement("canvas"); kept.width = canvas.width; kept.height = canvas.height;
    const pen = kept.getContext("2d"), w = canvas.clientWidth, h = canvas.clientHeight;
    pen.scale(ratio, ratio);
    const box = this.box = { left: 44, right: w - 8, top: 8, bottom: h - 18 }, log = panel.limit !== null;
    const read = log ? (y) => Math.log10(y) : (y) => y;
    let low = Infinity, high = -Infinity;
    for (const line of panel.lines) for (const y of line.y) { const v = read(y); if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); } }
    if (log && panel.limit > 0) { low = Math.min(low, Math.log10(panel.limit)); high = Math.max(high, Math.log10(panel.limit)); }
    if (!(low <= high)) { low = -1; high = 1; }
    if (high - low < 1e-13) { low -= 1; high += 1; }
    const pad = 0.06 * (high - low), [first, last] = this.span();
    low -= pad; high += pad;
    const X = (t) => box.left + (box.right - box.left) * (last > first ? (t - first) / (last - first) : 0.5);
    const Y = (v) => box.bottom - (box.bottom - box.top) * (v - low) / (high - low);
    pen.font = "10px system-ui, sans-serif"; pen.fillStyle = "#77818b"; pen.strokeStyle = "#e6eaee"; pen.lineWidth = 1;
    const ticks = steps(low, high, 4, log);
    ticks.forEach((v, k) => {
      pen.beginPath(); pen.moveTo(box.left, Y(v)); pen.lineTo(box.right, Y(v)); pen.stroke();
      pen.textAlign = "right"; pen.textBaseline = "middle"; pen.fillText(log ? `1e${Math.round(v)}` : short(v, ticks), box.left - 5, Y(v));
    });
    pen.textBaseline = "top"; pen.textAlign = "center";
    const along = steps(first, last, 5, false);
    for (const t of along) if (X(t) < box.right - 4) pen.fillText(short(t, along), X(t), box.bottom + 5);
    pen.textAlign = "right"; pen.fillText("s", box.right + 4, box.bottom + 5);
    pen.save(); pen.beginPath(); pen.rect(box.left, box.top - 2, box.right - box.left, box.bottom - box.top + 4); pen.clip();
    pen.lineWidth = 1.4; pen.lineJoin = "round";
    for (const line of panel.lines) {
      pen.strokeStyle = line.colour; pen.setLineDash(line.dashed ? [5, 3] : []); pen.beginPath();
      let pending = true;
      line.y.forEach((y, k) => {
        const v = read(y);
        if (!Number.isFinite(v)) { pending = true; return; }
        if (pending) pen.moveTo(X(line.t[k]), Y(v)); else pen.lineTo(X(line.t[k]), Y(v));
        pending = false;
      });
      pen.stroke();
    }
    if (log && panel.limit > 0) { pen.strokeStyle = "#2a9d74"; pen.setLineDash([2, 3]); pen.beginPath(); pen.moveTo(box.left, Y(Math.log10(panel.limit))); pen.lineTo(box.right, Y(Math.log10(panel.limit))); pen.stroke(); }
    pen.restore();
    this.X = X; this.ratio = ratio;
  }
  draw(time) {
    const pen = this.canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0); pen.clearRect(0, 0, this.canvas.width, this.canvas.height); pen.drawImage(this.kept, 0, 0);
    pen.scale(this.ratio, this.ratio); pen.strokeStyle = "#2b3036"; pen.lineWidth = 1; pen.beginPath();
    pen.moveTo(this.X(time), this.box.top); pen.lineTo(this.X(time), this.box.bottom); pen.stroke();
  }
}

// Round numbers between two.
function steps(low, high, most, whole) {
  const raw = (high - low) / most; if (!(raw > 0)) return [low];
  const ten = Math.pow(10, Math.floor(Math.log10(raw))), ratio = raw / ten;
  let step = (ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1) * ten;
  if (whole) step = Math.max(1, Math.ceil(step));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && found.length < 20; k++) found.push(k * step);
  return found;
}

function short(v, ticks) {
  const largest = Math.max(...ticks.map(Math.abs)), step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : largest;
  if (v === 0 || Math.abs(v) < 1e-9 * largest) return "0";
  if (largest >= 1e4 || largest < 1e-3) return v.toExponential(step < 0.1 * largest ? 1 : 0).replace("e+", "e");
  return v.toFixed(Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9))));
}
