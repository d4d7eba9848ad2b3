"use strict";
// Draws the scene with WebGL 2. A vertex is moved by the fields of its thing, which are in a texture,
// times their amplitudes: the page holds one field for each shape, whatever the number of pictures.
const WIDTH = 2048, SHADOW = 2048, MOST_COLOURS = 9, GHOST = 0.3;

const MOVING = `#version 300 es
precision highp float; precision highp int; precision highp sampler2D;
layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal;
layout(location = 2) in float modulus;
uniform sampler2D fields, amplitudes, stresses;
uniform int count, vertices, stressed, threes; uniform bool byStress, byStrain;
uniform mat3 R; uniform vec3 p, stretch; uniform mat4 camera, light;
out vec3 place, rest, smoothed, lit; out float value, behind;
void main() {
  vec3 shown = vec3(0), own = vec3(0);
  for (int k = 0; k < count; k++) {
    int n = k * vertices + gl_VertexID;
    vec3 field = texelFetch(fields, ivec2(n % ${WIDTH}, n / ${WIDTH}), 0).xyz;
    vec2 a = texelFetch(amplitudes, ivec2(k, 0), 0).xy;
    shown += a.x * field; own += a.y * field;
  }
  value = length(own);
  behind = value;
  if (byStress) {
    float squares = 0.0, front = 0.0;
    for (int g = 0; g < threes; g++) {
      vec3 sum = vec3(0);
      for (int k = 0; k < stressed; k++) {
        int n = (k * threes + g) * vertices + gl_VertexID;
        sum += texelFetch(amplitudes, ivec2(k, 0), 0).y * texelFetch(stresses, ivec2(n % ${WIDTH}, n / ${WIDTH}), 0).xyz;
      }
      squares += dot(sum, sum);
      if (threes == 4 && g == 1) { front = squares; squares = 0.0; }  // of a shell both sides
    }
    behind = sqrt(squares); value = threes == 4 ? sqrt(front) : behind;
    if (byStrain) { value /= modulus; behind /= modulus; }
  }
  place = p + R * (stretch * (point + shown));
  rest = R * (stretch * point);
  vec3 across = max(abs(stretch), vec3(1e-6));
  smoothed = R * (normal / across);
  vec4 seen = light * vec4(place, 1);
  lit = seen.xyz / seen.w * 0.5 + 0.5;
  gl_Position = camera * vec4(place, 1);
}`;

const SHADED = `#version 300 es
precision highp float; precision highp sampler2DShadow;
in vec3 place, rest, smoothed, lit; in float value, behind;
uniform vec3 colour, eye, up, sun, scaleColours[${MOST_COLOURS}]; uniform float opacity, largest; uniform bool byValue, shadows;
uniform sampler2DShadow depth;
out vec4 result;
float light() {
  if (!shadows || lit.x < 0.0 || lit.x > 1.0 || lit.y < 0.0 || lit.y > 1.0 || lit.z > 1.0) return 1.0;
  float sum = 0.0;
  for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++)
    sum += texture(depth, vec3(lit.xy + vec2(i, j) * 1.3 / ${SHADOW}.0, lit.z - 0.0012));
  return sum / 9.0;
}
void main() {
  vec3 flatNow = cross(dFdx(place), dFdy(place)), flatRest = cross(dFdx(rest), dFdy(rest));
  vec3 view = normalize(eye - place), n = normalize(smoothed);
  if (!gl_FrontFacing) n = -n;
  if (length(flatNow) > 0.0 && length(flatRest) > 0.0) {
    flatNow = normalize(flatNow); flatRest = normalize(flatRest);
    if (dot(flatRest, n) < 0.0) flatRest = -flatRest;
    if (dot(flatNow, flatRest) < 0.0 && dot(flatNow, view) < 0.0) flatNow = -flatNow;
    n = normalize(n + flatNow - flatRest);
  }
  if (!(dot(n, n) > 0.0)) n = view;
  vec3 base = colour;
  if (byValue) {
    float s = clamp((gl_FrontFacing ? value : behind) / largest, 0.0, 1.0) * ${MOST_COLOURS - 1}.0; int k = min(int(s), ${MOST_COLOURS - 2});
    base = mix(scaleColours[k], scaleColours[k + 1], s - float(k));
  }
  base = pow(base, vec3(2.2));
  float key = max(dot(n, sun), 0.0) * light();
  float sky = 0.5 + 0.5 * dot(n, up), fill = max(dot(n, view), 0.0);
  vec3 shade = base * (vec3(1.0, 0.97, 0.93) * 0.72 * key + mix(vec3(0.20, 0.19, 0.18), vec3(0.46, 0.49, 0.53), sky) + 0.16 * fill);
  vec3 half_ = normalize(sun + view);
  shade += vec3(0.20) * pow(max(dot(n, half_), 0.0), 48.0) * key + vec3(0.05) * pow(1.0 - fill, 4.0);
  if (byValue) shade = mix(shade, base, 0.4);  // colours of the scale must be told apart in the shade too
  result = vec4(pow(shade, vec3(1.0 / 2.2)), opacity);
}`;

const PLAIN = `#version 300 es
precision highp float;
in vec3 place, rest, smoothed, lit; in float value, behind;
uniform vec4 ink; out vec4 result;
void main() { result = ink; }`;

const GROUND = `#version 300 es
precision highp float;
layout(location = 0) in vec2 corner;
uniform vec3 centre, along, across; uniform mat4 camera, light; uniform float reach;
out vec2 at; out vec3 lit;
void main() {
  vec3 place = centre + reach * (corner.x * along + corner.y * across);
  at = reach * corner;
  vec4 seen = light * vec4(place, 1); lit = seen.xyz / seen.w * 0.5 + 0.5;
  gl_Position = camera * vec4(place, 1);
}`;

const GRID = `#version 300 es
precision highp float; precision highp sampler2DShadow;
in vec2 at; in vec3 lit; uniform float step_, reach; uniform vec2 origin; uniform bool shadows; uniform sampler2DShadow depth; out vec4 result;
float lines(float size) {
  vec2 s = (at + origin) / size, w = fwidth(s), d = abs(fract(s - 0.5) - 0.5) / w;
  return (1.0 - min(min(d.x, d.y), 1.0)) * clamp(0.35 / max(w.x, w.y) , 0.0, 1.0);
}
void main() {
  float fade = 1.0 - smoothstep(0.25, 0.95, length(at) / reach);
  float dark = 0.0;
  if (shadows && lit.x > 0.0 && lit.x < 1.0 && lit.y > 0.0 && lit.y < 1.0 && lit.z < 1.0) {
    float sum = 0.0;
    for (int i = -2; i <= 2; i++) for (int j = -2; j <= 2; j++)
      sum += texture(depth, vec3(lit.xy + vec2(i, j) * 1.6 / ${SHADOW}.0, lit.z - 0.001));
    dark = (1.0 - sum / 25.0) * 0.22;
  }
  float line = max(0.16 * lines(step_), 0.30 * lines(10.0 * step_));
  float alpha = max(dark, 0.0) + line * (1.0 - dark);
  result = vec4(mix(vec3(0.36, 0.42, 0.50), vec3(0.16, 0.19, 0.24), dark > line ? 1.0 : 0.0), alpha * fade);
}`;

class Renderer {
  constructor(canvas, scene) {
    this.canvas = canvas; this.scene = scene;
    const gl = this.gl = canvas.getContext("webgl2", { antialias: true, alpha: false, preserveDrawingBuffer: true });
    if (!gl) throw new Error("this page needs WebGL 2, which this browser does not offer");
    this.surface = this.program(MOVING, SHADED); this.line = this.program(MOVING, PLAIN); this.ground = this.program(GROUND, GRID);
    this.things = scene.things.map((thing) => this.upload(thing));
    this.makeShadow(); this.makeGround();
    this.shown = { bodies: true, joints: true, forces: true, constraints: true, reactions: false, marks: true, edges: true };
    this.colouring = "body"; this.magnification = 1;
    this.most = { displacement: 0, strain: 0, stress: 0 };  // values that the last colour stands for
    gl.vertexAttrib1f(2, 1);
  }
  program(vertex, fragment) {
    const gl = this.gl, made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text); gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
    const places = {};
    for (let k = 0; k < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); k++) {
      const name = gl.getActiveUniform(made, k).name; places[name.replace("[0]", "")] = gl.getUniformLocation(made, name);
    }
    return { made, at: places };
  }
  texture(format, type, inner, width, height, data) {
    const gl = this.gl, made = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, made);
    gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, height, 0, format, type, data);
    for (const which of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, which, gl.NEAREST);
    return made;
  }
  // A texture of vectors (k, ..., 3), each of the k blocks multiplied by its factor.
  table(values, factors) {
    const gl = this.gl, block = values.length / factors.length, height = Math.ceil(values.length / (3 * WIDTH)), out = new Float32Array(4 * WIDTH * height);
    if (height > gl.getParameter(gl.MAX_TEXTURE_SIZE)) throw new Error("a body has more points and shapes than this graphics card takes");
    for (let i = 0; i < values.length; i++) out[4 * Math.floor(i / 3) + i % 3] = values[i] * factors[Math.floor(i / block)];
    return this.texture(gl.RGBA, gl.FLOAT, gl.RGBA32F, WIDTH, height, out);
  }
  upload(thing) {
    const gl = this.gl, own = { thing, vao: gl.createVertexArray(), visible: true };
    gl.bindVertexArray(own.vao);
    const buffer = (target, data) => { const b = gl.createBuffer(); gl.bindBuffer(target, b); gl.bufferData(target, data, gl.STATIC_DRAW); return b; };
    buffer(gl.ARRAY_BUFFER, thing.points); gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    buffer(gl.ARRAY_BUFFER, thing.normals); gl.enableVertexAttribArray(1); gl.vertexAttribPointer(1, 3, gl.BYTE, true, 4, 0);
    if (thing.modulus.length) { buffer(gl.ARRAY_BUFFER, thing.modulus); gl.enableVertexAttribArray(2); gl.vertexAttribPointer(2, 1, gl.FLOAT, false, 0, 0); }
    own.type = thing.triangles instanceof Uint16Array ? gl.UNSIGNED_SHORT : gl.UNSIGNED_INT;
    own.size = thing.triangles.BYTES_PER_ELEMENT;
    const every = new thing.triangles.constructor(thing.triangles.length + thing.edges.length + thing.lines.length);
    every.set(thing.triangles); every.set(thing.edges, thing.triangles.length); every.set(thing.lines, thing.triangles.length + thing.edges.length);
    buffer(gl.ELEMENT_ARRAY_BUFFER, every);
    const v = own.vertices = thing.points.length / 3, count = own.count = thing.scales.length;
    if (count) {
      own.fields = this.table(thing.fields, thing.scales);
      own.pairs = new Float32Array(2 * count); own.away = new Float64Array(count); own.now = new Float64Array(count);
      own.amplitudes = this.texture(gl.RG, gl.FLOAT, gl.RG32F, count, 1, own.pairs);
    }
    own.stressed = thing.factors.length;
    if (own.stressed) { own.threes = thing.stress.length / (3 * v * own.stressed); own.stresses = this.table(thing.stress, thing.factors); }
    return own;
  }
  makeShadow() {
    const gl = this.gl;
    this.depth = this.texture(gl.DEPTH_COMPONENT, gl.UNSIGNED_INT, gl.DEPTH_COMPONENT24, SHADOW, SHADOW, null);
    for (const which of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, which, gl.LINEAR);
    for (const which of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, which, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    this.shadow = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow);
    gl.drawBuffers([gl.NONE]); gl.readBuffer(gl.NONE);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.depth, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }
  makeGround() {
    const gl = this.gl; this.plane = gl.createVertexArray(); gl.bindVertexArray(this.plane);
    const b = gl.createBuffer(); gl.bindBuffer(gl.ARRAY_BUFFER, b);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  }
  // Moves everything to a time.
  set(time) {
    const gl = this.gl, found = this.scene.runs.map((run) => locate(run.t, time));
    for (const own of this.things) {
      const { thing } = own, [k, share] = found[thing.run];
      own.pose = poseOf(thing, k, share);
      own.stretch = thing.stretch.length ? Array.from(mix(thing.stretch, 3, k, share, [0, 0, 0])) : [1, 1, 1];
      if (!own.count) continue;
      mix(thing.amplitudes, own.count, k, share, own.now);
      const size = thing.magnified ? this.magnification : 1;
      for (let i = 0; i < own.count; i++) {
        const away = own.now[i] - thing.still[i];
        own.pairs[2 * i] = thing.still[i] + size * away; own.pairs[2 * i + 1] = own.away[i] = away;
      }
      gl.bindTexture(gl.TEXTURE_2D, own.amplitudes);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, own.count, 1, gl.RG, gl.FLOAT, own.pairs);
    }
  }
  use(program, camera, light) {
    const gl = this.gl; gl.useProgram(program.made);
    gl.uniformMatrix4fv(program.at.camera, false, camera); gl.uniformMatrix4fv(program.at.light, false, light);
    gl.uniform1i(program.at.fields, 0); gl.uniform1i(program.at.amplitudes, 1); gl.uniform1i(program.at.depth, 2); gl.uniform1i(program.at.stresses, 3);
  }
  bind(program, own) {
    const gl = this.gl, at = program.at;
    gl.bindVertexArray(own.vao);
    gl.uniformMatrix3fv(at.R, false, own.pose.R); gl.uniform3fv(at.p, own.pose.p); gl.uniform3fv(at.stretch, own.stretch);
    gl.uniform1i(at.count, own.count); gl.uniform1i(at.vertices, own.vertices);
    gl.activeTexture(gl.TEXTURE0); gl.bindTexture(gl.TEXTURE_2D, own.count ? own.fields : null);
    gl.activeTexture(gl.TEXTURE1); gl.bindTexture(gl.TEXTURE_2D, own.count ? own.amplitudes : null);
    const strain = this.colouring === "strain", stress = (strain || this.colouring === "stress") && own.stressed > 0;
    gl.uniform1i(at.byStress, stress ? 1 : 0); gl.uniform1i(at.byStrain, strain ? 1 : 0); gl.uniform1i(at.stressed, own.stressed); gl.uniform1i(at.threes, own.threes || 0);
    gl.activeTexture(gl.TEXTURE3); gl.bindTexture(gl.TEXTURE_2D, stress ? own.stresses : null);
  }
  // Whether a thing has the value that colours stand for.
  valued(own) { return own.thing.kind === "bodies" && (this.colouring === "displacement" ? own.count > 0 : this.colouring !== "body" && own.stressed > 0); }
  faces(own) { this.gl.drawElements(this.gl.TRIANGLES, own.thing.triangles.length, own.type, 0); }
  // What is seen in a part of the window: of the runs that it shows, and of ghosts the bodies.
  seen(part) {
    const of = (own) => part.runs.includes(own.thing.run) || (own.thing.run === part.ghost && own.thing.kind === "bodies");
    return this.things.filter((own) => own.visible && this.shown[own.thing.kind] && of(own));
  }
  // Parts of the window: { view, box: [left, bottom, width, height], runs, ghost }.
  draw(parts) {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null); gl.depthMask(true);
    gl.clearColor(0.955, 0.965, 0.975, 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    for (const part of parts) this.drawPart(part);
  }
  drawPart(part) {
    const gl = this.gl, { scene } = this, { view } = part, up = scene.up, every = this.seen(part);
    const opacity = (own) => own.thing.opacity * (own.thing.run === part.ghost ? GHOST : 1);
    const solid = every.filter((own) => opacity(own) >= 1), clear = every.filter((own) => opacity(own) < 1);
    const sun = unit(add(add(scale(up, 1.0), scale(view.side, 0.42)), scale(view.front, 0.38)));
    const wide = 0.62 * scene.size + Math.min((this.magnification - 1) * this.most.displacement, 3 * scene.size);
    const light = times(parallel(wide, 0, 8 * wide), lookAt(add(scene.centre, scale(sun, 4 * wide)), scene.centre, Math.abs(dot(sun, view.side)) < 0.9 ? view.side : view.front));
    gl.enable(gl.DEPTH_TEST); gl.disable(gl.BLEND); gl.disable(gl.CULL_FACE); gl.depthMask(true);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow); gl.viewport(0, 0, SHADOW, SHADOW); gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.activeTexture(gl.TEXTURE2); gl.bindTexture(gl.TEXTURE_2D, null);
    this.use(this.line, light, light);
    for (const own of solid) if (own.thing.kind !== "marks") { this.bind(this.line, own); this.faces(own); }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(...part.box);
    gl.activeTexture(gl.TEXTURE2); gl.bindTexture(gl.TEXTURE_2D, this.depth);
    this.drawGround(view, light);
    const s = this.surface;
    this.use(s, view.matrix, light);
    gl.uniform3fv(s.at.eye, view.eye); gl.uniform3fv(s.at.up, up); gl.uniform3fv(s.at.sun, sun); gl.uniform1i(s.at.shadows, 1);
    gl.uniform3fv(s.at.scaleColours, scene.scale.flat()); gl.uniform1f(s.at.largest, this.most[this.colouring] || 1);
    const paint = (own) => {
      this.bind(s, own);
      gl.uniform1i(s.at.byValue, this.valued(own) ? 1 : 0);
      gl.uniform3fv(s.at.colour, this.colouring !== "body" && !this.valued(own) ? own.grey : own.colour); gl.uniform1f(s.at.opacity, opacity(own));
      this.faces(own);
    };
    gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(1, 1);
    solid.forEach(paint);
    gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA); gl.depthMask(false);
    clear.forEach(paint);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    this.use(this.line, view.matrix, light);
    for (const own of every) {
      const { thing } = own;
      this.bind(this.line, own);
      if (this.shown.edges && thing.edges.length && thing.kind === "bodies") {
        gl.uniform4f(this.line.at.ink, 0.08, 0.10, 0.13, opacity(own) < 1 ? 0.22 : 0.38);
        gl.drawElements(gl.LINES, thing.edges.length, own.type, thing.triangles.length * own.size);
      }
      if (thing.lines.length) {
        gl.uniform4f(this.line.at.ink, ...own.colour.map((c) => 0.8 * c), 1);
        gl.drawElements(gl.LINES, thing.lines.length, own.type, (thing.triangles.length + thing.edges.length) * own.size);
      }
    }
    gl.depthMask(true); gl.bindVertexArray(null);
  }
  drawGround(view, light) {
    const gl = this.gl, { scene } = this, g = this.ground;
    const up = scene.up, along = unit(cross(Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0], up)), across = cross(up, along);
    const drop = dot(up, scene.centre) - scene.floor, centre = sub(scene.centre, scale(up, drop));
    const reach = 3.2 * scene.size, raw = scene.size / 6, ten = Math.pow(10, Math.floor(Math.log10(raw)));
    this.use(g, view.matrix, light);
    gl.uniform3fv(g.at.centre, centre); gl.uniform3fv(g.at.along, along); gl.uniform3fv(g.at.across, across);
    gl.uniform1f(g.at.reach, reach); gl.uniform1f(g.at.step_, ten); const own = add(centre, scene.offset); gl.uniform2f(g.at.origin, dot(own, along) % (10 * ten), dot(own, across) % (10 * ten));
    gl.uniform1i(g.at.shadows, 1);
    gl.bindVertexArray(this.plane);
    gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA); gl.depthMask(false);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.disable(gl.BLEND); gl.depthMask(true);
  }
}
