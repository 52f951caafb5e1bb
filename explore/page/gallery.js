// The gallery: a grid of courses, one card each.
import { digits } from "./courses.js";
import { drawCourse, fitView, palette, rangeOf, resolved } from "./draw.js";
import { fit, make } from "./dom.js";

/** @typedef {import("./courses.js").Course} Course */

const margin = 12;

/** A card: a button with a picture of a course. */
class Card {
  /** @param {(card: Card) => void} choose */
  constructor(choose) {
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.title = make("span", { class: "title" });
    this.note = make("span", { class: "note" });
    this.element = make("button", { class: "card", type: "button", onclick: () => choose(this) }, this.canvas,
      make("span", { class: "legend" }, this.title, " ", this.note));
    /** @type {Course | null} */
    this.course = null;
    this.isVisible = true;
  }

  /** @param {Course} course */
  show(course) {
    this.course = course;
    const seed = `seed ${course.numbers.seed}`;
    this.title.textContent = course.name || seed;
    const length = course.kind === "tracks" ? `length ${digits(course.numbers.length)}` : `${course.count} gates`;
    this.note.textContent = course.valid ? length : `not valid: ${course.reasons.join(", ")}`;
    this.element.classList.toggle("invalid", !course.valid);
    this.element.dataset.env = String(course.env);
  }
}

export class Gallery {
  /** @param {(course: Course) => void} choose */
  constructor(choose) {
    this.element = make("div", { class: "gallery" });
    /** @type {Card[]} */
    this.cards = [];
    this.choose = choose;
    this.colour = "plain";
    /** @type {Course[]} */
    this.courses = [];
    this.chosen = -1;
    this.observer = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        const card = this.cards.find((c) => c.element === entry.target);
        if (!card) continue;
        card.isVisible = entry.isIntersecting;
        if (card.isVisible) this.#draw(card);
      }
    }, { rootMargin: "200px" });
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(this.element);
    this.element.addEventListener("keydown", (event) => this.#move(event));
  }

  /** Sets the number of cards. @param {number} n */
  resize(n) {
    while (this.cards.length > n) {
      const card = /** @type {Card} */ (this.cards.pop());
      this.observer.unobserve(card.element);
      card.element.remove();
    }
    while (this.cards.length < n) {
      const card = new Card((c) => c.course && this.choose(c.course));
      this.cards.push(card);
      this.element.append(card.element);
      this.observer.observe(card.element);
    }
    this.courses.length = Math.min(this.courses.length, n);
  }

  /** Shows some courses, in the cards of their numbers. @param {Course[]} courses */
  add(courses) {
    for (const course of courses) {
      if (course.env >= this.cards.length) this.resize(course.env + 1);
      this.courses[course.env] = course;
      this.cards[course.env].show(course);
    }
  }

  /** Marks a course. @param {number} env */
  mark(env) {
    this.chosen = env;
    this.cards.forEach((card, i) => card.element.setAttribute("aria-pressed", String(i === env)));
  }

  /** Draws all visible courses, all valid ones at one scale. */
  draw() {
    const first = this.cards[0];
    if (!first || first.canvas.clientWidth === 0) return;
    const courses = this.courses.filter((course) => course);
    let [width, height] = [0, 0];
    const isAnyValid = courses.some((course) => course.valid);
    for (const { valid, box } of courses) {
      if (isAnyValid && !valid) continue;
      width = Math.max(width, box.right - box.left);
      height = Math.max(height, box.top - box.bottom);
    }
    const density = fit(first.canvas);
    const side = Math.min(first.canvas.width, first.canvas.height) - 2 * margin * density;
    const oneScale = courses.length > 0 && courses[0].name === "" ? side / (Math.max(width, height) || 1) : Infinity;
    const colour = resolved(courses, this.colour);
    this.how = { scale: oneScale, colour, range: rangeOf(courses, colour), colours: palette() };
    for (const card of this.cards) if (card.isVisible) this.#draw(card);
  }

  /** @param {Card} card */
  #draw(card) {
    if (!this.how || !card.course) return;
    const density = fit(card.canvas);
    const ctx = card.canvas.getContext("2d");
    if (!ctx) return;
    const { width, height } = card.canvas;
    ctx.clearRect(0, 0, width, height);
    const view = fitView(card.course.box, width, height, margin * density, this.how.scale);
    drawCourse(ctx, card.course, view, this.how.colours,
      { colour: this.how.colour, range: this.how.range, thin: density, large: false });
  }

  /** Moves the focus with the arrow keys. @param {KeyboardEvent} event */
  #move(event) {
    const at = this.cards.findIndex((card) => card.element === document.activeElement);
    if (at < 0) return;
    const top = this.cards[0].element.offsetTop;
    const row = Math.max(1, this.cards.filter((card) => card.element.offsetTop === top).length);
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: row, ArrowUp: -row, Home: -at, End: this.cards.length - 1 - at }[
      event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.cards[Math.min(Math.max(at + step, 0), this.cards.length - 1)].element.focus();
  }
}
