"use strict";
// Numbers of the page: one compressed block, cut into arrays that the scene names by [type, start, length].
const TYPES = { f: Float32Array, h: Int16Array, b: Int8Array, u: Uint32Array, s: Uint16Array };

async function readScene() {
  const scene = JSON.parse(document.getElementById("scene").textContent);
  const text = atob(document.getElementById("numbers").textContent.trim());
  const packed = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) packed[k] = text.charCodeAt(k);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const block = await new Response(stream).arrayBuffer();
  const cut = (value) => {
    if (Array.isArray(value) && value.length === 3 && value[0] in TYPES) return new TYPES[value[0]](block, value[1], value[2]);
    return value;
  };
  for (const thing of scene.things) for (const key in thing) thing[key] = cut(thing[key]);
  for (const run of scene.runs) run.t = cut(run.t);
  for (const trace of scene.traces) trace.places = cut(trace.places);
  for (const panel of scene.panels) for (const line of panel.lines) { line.t = cut(line.t); line.y = cut(line.y); }
  return scene;
}

// Where a time lies between the drawn ones: the one before it, and the share of the next.
function locate(t, time) {
  let low = 0, high = t.length - 1;
  if (high < 1 || !(time > t[0])) return [0, 0];
  if (time >= t[high]) return [high, 0];
  while (high - low > 1) { const middle = (low + high) >> 1; if (t[middle] <= time) low = middle; else high = middle; }
  const step = t[high] - t[low];
  return [low, step > 0 ? (time - t[low]) / step : 0];
}

function mix(values, size, k, share, out) {
  const a = k * size, b = share > 0 ? a + size : a;
  for (let i = 0; i < size; i++) out[i] = values[a + i] + share * (values[b + i] - values[a + i]);
  return out;
}

// Pose of a thing at a time: a matrix (column by column) and a place; quaternions are mixed and made unit again.
const POSE = new Float64Array(7);
function poseOf(thing, k, share) {
  mix(thing.pose, 7, k, share, POSE);
  let [x, y, z, qw, qx, qy, qz] = POSE;
  const size = Math.hypot(qw, qx, qy, qz) || 1;
  qw /= size; qx /= size; qy /= size; qz /= size;
  const R = [
    1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy + qw * qz), 2 * (qx * qz - qw * qy),
    2 * (qx * qy - qw * qz), 1 - 2 * (qx * qx + qz * qz), 2 * (qy * qz + qw * qx),
    2 * (qx * qz + qw * qy), 2 * (qy * qz - qw * qx), 1 - 2 * (qx * qx + qy * qy)];
  return { R, p: [x, y, z] };
}

// Place of a vertex of a thing at a time, its deformation magnified.
function placeOf(thing, vertex, k, share, magnification) {
  const count = thing.scales.length, block = thing.points.length, at = 3 * vertex, size = thing.magnified ? magnification : 1;
  const own = [thing.points[at], thing.points[at + 1], thing.points[at + 2]];
  const now = mix(thing.amplitudes, count, k, share, new Float64Array(count));
  for (let i = 0; i < count; i++) {
    const a = (thing.still[i] + size * (now[i] - thing.still[i])) * thing.scales[i];
    for (let c = 0; c < 3; c++) own[c] += a * thing.fields[i * block + at + c];
  }
  if (thing.stretch.length) { const s = mix(thing.stretch, 3, k, share, [0, 0, 0]); for (let c = 0; c < 3; c++) own[c] *= s[c]; }
  const { R, p } = poseOf(thing, k, share);
  return [0, 1, 2].map((c) => p[c] + R[c] * own[0] + R[3 + c] * own[1] + R[6 + c] * own[2]);
}

// The largest value of a thing for amplitudes away from rest, and its vertex; of shells on both sides.
function largestOf(thing, away, what) {
  const v = thing.points.length / 3, stress = what !== "displacement", numbers = stress ? thing.stress : thing.fields, factors = stress ? thing.factors : thing.scales;
  const size = factors.length ? numbers.length / factors.length : 0, groups = size / (3 * v), sums = new Float32Array(size);
  for (let k = 0; k < factors.length; k++) { const a = away[k] * factors[k]; if (a) for (let i = 0, n = k * size; i < size; i++, n++) sums[i] += a * numbers[n]; }
  let value = -1, vertex = 0;
  for (const group of groups === 4 ? [[0, 2], [2, 4]] : [[0, groups]]) for (let i = 0; i < v; i++) {
    let squares = 0;
    for (let g = group[0]; g < group[1]; g++) { const n = 3 * (g * v + i); squares += sums[n] * sums[n] + sums[n + 1] * sums[n + 1] + sums[n + 2] * sums[n + 2]; }
    if (what === "strain") squares /= thing.modulus[i] * thing.modulus[i];
    if (squares > value) { value = squares; vertex = i; }
  }
  return { value: Math.sqrt(Math.max(value, 0)), vertex };
}

// Vectors and 4x4 matrices, column by column.
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => scale(a, 1 / (Math.hypot(...a) || 1));
function times(A, B) {
  const C = new Float32Array(16);
  for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++) {
    let s = 0; for (let k = 0; k < 4; k++) s += A[4 * k + r] * B[4 * c + k];
    C[4 * c + r] = s;
  }
  return C;
}
function lookAt(eye, target, up) {
  const z = unit(sub(eye, target)), x = unit(cross(up, z)), y = cross(z, x);
  return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1];
}
function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2), d = 1 / (near - far);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (near + far) * d, -1, 0, 0, 2 * near * far * d, 0];
}
function parallel(size, near, far) {
  return [1 / size, 0, 0, 0, 0, 1 / size, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1];
}
