// A course in space, with WebGL alone: a road or gates, the ground below, and a camera that turns around them.
import { lineOf } from "./courses.js";
import { colourOf } from "./draw.js";
import { fit } from "./dom.js";

/** @typedef {import("./courses.js").Course} Course */

const vertexText = `
attribute vec3 place;
attribute vec3 colour;
uniform mat4 camera;
varying vec3 shade;
void main() {
  gl_Position = camera * vec4(place, 1.0);
  shade = colour;
}`;

const fragmentText = `
precision mediump float;
varying vec3 shade;
void main() { gl_FragColor = vec4(shade, 1.0); }`;

/** Where the camera begins: turn and tilt in radians, and distance. */
const start = { turn: -0.6, tilt: 0.75, distance: 2.4 };

/** A colour of the theme as parts of 1. @param {string} text @returns {[number, number, number]} */
function parts(text) {
  const match = /^#(..)(..)(..)$/.exec(text);
  return match ? [parseInt(match[1], 16) / 255, parseInt(match[2], 16) / 255, parseInt(match[3], 16) / 255] : [0.5, 0.5, 0.5];
}

/** Vertices of triangles and of lines: place and colour. */
class Mesh {
  constructor() {
    /** @type {number[]} */
    this.triangles = [];
    /** @type {number[]} */
    this.lines = [];
  }

  /** @param {number[][]} corners four, in order @param {number[]} colour @param {number[]} [second] of the last two */
  quad(corners, colour, second = colour) {
    const [a, b, c, d] = corners;
    this.triangles.push(...a, ...colour, ...b, ...colour, ...c, ...second, ...a, ...colour, ...c, ...second, ...d, ...second);
  }

  /** @param {number[]} a @param {number[]} b @param {number[]} colour */
  line(a, b, colour) {
    this.lines.push(...a, ...colour, ...b, ...colour);
  }
}

export class Space {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl", { antialias: true });
    if (!gl) throw new Error("no WebGL");
    this.gl = gl;
    const program = gl.createProgram();
    for (const [type, text] of /** @type {[number, string][]} */ ([[gl.VERTEX_SHADER, vertexText],
      [gl.FRAGMENT_SHADER, fragmentText]])) {
      const shader = /** @type {WebGLShader} */ (gl.createShader(type));
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, "place");
    gl.bindAttribLocation(program, 1, "colour");
    gl.linkProgram(program);
    gl.useProgram(program);
    this.camera = gl.getUniformLocation(program, "camera");
    this.buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.enableVertexAttribArray(0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 24, 0);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 24, 12);
    gl.enable(gl.DEPTH_TEST);
    this.counts = [0, 0];
    /** @type {[number, number, number]} */
    this.paper = [1, 1, 1];
    this.turn = start.turn;
    this.tilt = start.tilt;
    this.distance = start.distance;
    this.#listen();
  }

  /** Sets the camera to where it begins. */
  reset() {
    Object.assign(this, start);
    if (this.counts[0]) this.draw();
  }

  /** Shows a course with its heights multiplied. @param {Course} course @param {number} rise
   * @param {Record<string, string>} colours */
  show(course, rise, colours) {
    const { box } = course;
    const size = Math.max(box.right - box.left, box.top - box.bottom) || 1;
    const middle = [(box.left + box.right) / 2, (box.bottom + box.top) / 2];
    const ground = Math.min(box.low, course.kind === "gates" ? 0 : box.low);
    const at = (/** @type {ArrayLike<number>} */ points, /** @type {number} */ i) => [(points[3 * i] - middle[0]) / size * 2,
      (points[3 * i + 1] - middle[1]) / size * 2, ((points[3 * i + 2] - ground) / size) * 2 * rise];
    const mesh = new Mesh();
    this.#ground(mesh, parts(colours.grid));
    if (course.kind === "tracks") this.#road(mesh, course, at, colours);
    else this.#gates(mesh, course, at, colours, size, rise);
    const { gl } = this;
    this.paper = parts(colours.paper);
    this.counts = [mesh.triangles.length / 6, mesh.lines.length / 6];
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(mesh.triangles.concat(mesh.lines)), gl.STATIC_DRAW);
    this.draw();
  }

  /** @param {Mesh} mesh @param {number[]} colour */
  #ground(mesh, colour) {
    const reach = 1.3;
    for (let k = -10; k <= 10; k++) {
      const t = (k / 10) * reach;
      mesh.line([t, -reach, -0.004], [t, reach, -0.004], colour);
      mesh.line([-reach, t, -0.004], [reach, t, -0.004], colour);
    }
  }

  /** @param {Mesh} mesh @param {Course} course @param {(points: ArrayLike<number>, i: number) => number[]} at
   * @param {Record<string, string>} colours */
  #road(mesh, course, at, colours) {
    const { outer, inner } = course.columns;
    const n = course.reasons.includes("truncated") ? course.count - 1 : course.count;
    const isHilly = course.box.high - course.box.low > 1e-6;
    const plain = parts(colours.road);
    const edge = parts(colours.border);
    const tint = (/** @type {number} */ i) => {
      if (!isHilly) return plain;
      const height = lineOf(course)[3 * i + 2];
      return colourOf((height - course.box.low) / (course.box.high - course.box.low)).map((c) => c / 255);
    };
    for (let i = 0; i < n; i++) {
      const j = (i + 1) % course.count;
      const [a, b, c, d] = [at(outer, i), at(inner, i), at(inner, j), at(outer, j)];
      mesh.quad([a, b, c, d], tint(i), tint(j));
      mesh.line(a, d, edge);
      mesh.line(b, c, edge);
      if (!isHilly) continue;
      // The sides of the embankment, darker, down to the ground.
      const dark = (/** @type {number} */ k) => tint(k).map((v) => v * 0.55);
      const down = (/** @type {number[]} */ p) => [p[0], p[1], 0];
      mesh.quad([a, down(a), down(d), d], dark(i), dark(j));
      mesh.quad([b, down(b), down(c), c], dark(i), dark(j));
    }
    mesh.line(at(outer, 0), at(inner, 0), parts(colours.start));
  }

  /** @param {Mesh} mesh @param {Course} course @param {(points: ArrayLike<number>, i: number) => number[]} at
   * @param {Record<string, string>} colours @param {number} size @param {number} rise */
  #gates(mesh, course, at, colours, size, rise) {
    const { position, left, right, orientation, half_size: half } = course.columns;
    for (let i = 0; i < course.count; i++) {
      const [x, y, z, w] = orientation.slice(4 * i, 4 * i + 4);
      const h = Math.max(half[i], 0.004 * size);
      // The third column of the rotation is the top of the gate.
      const up = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)].map((v) => (v * h) / size * 2);
      const corner = (/** @type {number[]} */ p, /** @type {number} */ sign) => p.map((v, k) => v + sign * up[k]);
      const middle = at(position, i);
      let [l, r] = [at(left, i), at(right, i)];
      if (rise !== 1) { // the gate keeps its shape: only its place rises
        const lift = (/** @type {number[]} */ p) => [p[0], p[1], middle[2] + (p[2] - middle[2]) / rise];
        [l, r] = [lift(l), lift(r)];
      }
      const ring = [corner(l, 1), corner(r, 1), corner(r, -1), corner(l, -1)];
      const inside = ring.map((p) => p.map((v, k) => v + (middle[k] - v) * 0.22));
      const colour = parts(i === 0 ? colours.start : colours.accent);
      for (let k = 0; k < 4; k++) {
        mesh.quad([ring[k], ring[(k + 1) % 4], inside[(k + 1) % 4], inside[k]], colour.map((v) => v * (k % 2 ? 0.8 : 1)));
      }
      mesh.line(middle, at(position, (i + 1) % course.count), parts(colours.border));
      mesh.line([middle[0], middle[1], 0], corner(middle, -1), parts(colours.grid));
    }
  }

  draw() {
    const { gl } = this;
    fit(this.canvas);
    const { width, height } = this.canvas;
    gl.viewport(0, 0, width, height);
    gl.clearColor(...this.paper, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniformMatrix4fv(this.camera, false, this.#matrix(width / height));
    gl.drawArrays(gl.TRIANGLES, 0, this.counts[0]);
    gl.drawArrays(gl.LINES, this.counts[0], this.counts[1]);
  }

  /** The matrix of a camera with perspective, turned around the middle. @param {number} aspect */
  #matrix(aspect) {
    const [ct, st, cp, sp] = [Math.cos(this.turn), Math.sin(this.turn), Math.cos(this.tilt), Math.sin(this.tilt)];
    const [near, far, focus] = [0.05, 20, 1.6];
    // Rows of the rotation: to the right, up and towards the viewer.
    const right = [ct, -st, 0];
    const up = [st * sp, ct * sp, cp];
    const back = [-st * cp, -ct * cp, sp];
    const [fx, fy] = aspect < 1 ? [focus, focus * aspect] : [focus / aspect, focus];
    const [a, b] = [(far + near) / (near - far), (2 * far * near) / (near - far)];
    const m = [];
    for (let k = 0; k < 3; k++) m.push(fx * right[k], fy * up[k], a * back[k], -back[k]);
    m.push(0, 0, -a * this.distance + b, this.distance);
    return new Float32Array(m);
  }

  /** @param {number} factor */
  zoom(factor) {
    this.distance = Math.min(Math.max(this.distance / factor, 0.3), 12);
    this.draw();
  }

  /** @param {number} turn @param {number} tilt radians */
  rotate(turn, tilt) {
    this.turn += turn;
    this.tilt = Math.min(Math.max(this.tilt + tilt, 0.05), Math.PI / 2);
    this.draw();
  }

  #listen() {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) this.rotate(event.movementX * 0.008, event.movementY * 0.008);
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      /** @type {Record<string, () => void>} */
      const does = {
        ArrowLeft: () => this.rotate(-0.1, 0), ArrowRight: () => this.rotate(0.1, 0), ArrowUp: () => this.rotate(0, 0.1),
        ArrowDown: () => this.rotate(0, -0.1), "+": () => this.zoom(1.2), "=": () => this.zoom(1.2), "-": () => this.zoom(1 / 1.2),
        0: () => this.reset(),
      };
      if (!does[event.key] || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      does[event.key]();
    });
  }
}
