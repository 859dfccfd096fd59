import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { isFocused, untilFocused } from './focus.js';

/** Runs in the page: notes when a text is pasted, and when a sentence is there, by the clock of the page. */
const STOPWATCH = `
  document.addEventListener('paste', () => { window.pastedAt = performance.now(); }, true);
  window.awaitSentence = (place, source) => {
    const pattern = new RegExp(source);
    window.pastedAt = window.shownAt = undefined;
    performance.clearResourceTimings();
    new MutationObserver((_changes, observer) => {
      if (window.pastedAt === undefined || !location.href.includes(place)) return;
      const parts = document.querySelectorAll('main p, main h2');
      if (![...parts].some(({ textContent }) => pattern.test(textContent))) return;
      window.shownAt = performance.now();
      observer.disconnect();
    }).observe(document, { subtree: true, childList: true, characterData: true });
  };`;

/** The time from the paste to the sentence, and the addresses of the answers that came meanwhile. */
const MEASURE = `({
  milliseconds: Math.round(window.shownAt - window.pastedAt),
  answers: performance.getEntriesByType('resource')
    .filter(({ startTime, responseEnd }) => startTime >= window.pastedAt && responseEnd <= window.shownAt)
    .map(({ name }) => name),
})`;

const TIMEOUT_MS = 30_000;

/** More stops of the keyboard than any page has. */
const STOPS_MAX = 120;

/** What it took from the paste to the sentence. */
export interface Reading {
  readonly milliseconds: number;
  /** The addresses of all answers in between. */
  readonly answers: readonly string[];
}

/** A member of staff who answers mails with one hand: at the mouse, or at the keyboard alone. Every click is counted. */
export class MailDesk {
  /** Since the last paste: presses of the mouse, or of Enter on something that has the focus. */
  clicks = 0;

  private constructor(
    readonly page: Page,
    private readonly hand: Hand,
  ) {}

  /** Opens the search page, which asks for nothing by itself. */
  static async open(page: Page, hand: Hand): Promise<MailDesk> {
    await page.addInitScript(STOPWATCH);
    await page.goto('/admin/sandbox/search');
    await page.getByRole('searchbox').waitFor();
    return new MailDesk(page, hand);
  }

  /** Pastes a mail into the search box, and reads until the sentence is there, on a page whose address contains `place`. */
  async paste(mail: string, place: string, sentence: RegExp): Promise<Reading> {
    const { page } = this;
    await page.evaluate(`awaitSentence(${JSON.stringify(place)}, ${JSON.stringify(sentence.source)})`);
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(mail)})`);
    const box = page.getByRole('searchbox');
    await box.waitFor();
    if (this.hand === 'mouse') await box.click();
    else await page.keyboard.press('Control+k');
    await untilFocused(box);
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+v');
    await page.keyboard.press('Enter');
    this.clicks = 0;
    // The policy of the page forbids the eval that `waitForFunction` needs.
    await eventually(() => page.evaluate<boolean>('window.shownAt !== undefined'), TIMEOUT_MS);
    return page.evaluate<Reading>(MEASURE);
  }

  /** Presses a button or follows a link. */
  async press(target: Locator): Promise<void> {
    await target.waitFor();
    this.clicks += 1;
    if (this.hand === 'mouse') {
      await target.click();
    } else {
      await this.goTo(target);
      await this.page.keyboard.press('Enter');
    }
  }

  /** Writes into a field. A dialog puts the focus into its first one by itself. */
  async write(field: Locator, text: string): Promise<void> {
    await field.waitFor();
    if ((await field.getAttribute('data-autofocus')) !== null) {
      await untilFocused(field);
    } else if (this.hand === 'keyboard') {
      await this.goTo(field);
    } else {
      this.clicks += 1;
      await field.click();
    }
    await this.page.keyboard.insertText(text);
  }

  /** What was copied last. */
  copied(): Promise<string> {
    return this.page.evaluate<string>('navigator.clipboard.readText()');
  }

  /** Goes on with the keyboard, stop by stop, until the target has the focus. */
  private async goTo(target: Locator): Promise<void> {
    for (let stop = 0; stop < STOPS_MAX; stop++) {
      if (await isFocused(target)) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`The keyboard does not reach ${String(target)}.`);
  }
}

export type Hand = 'mouse' | 'keyboard';
