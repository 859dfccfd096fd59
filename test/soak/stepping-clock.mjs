// Loaded before a service whose clock is stepped every half second: an hour forward, an hour back, and right again.
const HOUR = 3_600_000;
const STEPS = [0, HOUR, -HOUR, 0, -HOUR, HOUR];
const RealDate = Date;
const now = () => RealDate.now() + STEPS[Math.floor(performance.now() / 500) % STEPS.length];

globalThis.Date = class Date extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(now());
    else super(...parts);
  }

  static now() {
    return now();
  }
};
