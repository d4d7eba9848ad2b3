"use strict";
// Where the scene is seen from.
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
