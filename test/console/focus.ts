import type { Locator } from 'playwright-core';
import { eventually } from '../support/eventually.js';

export const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === element.ownerDocument.activeElement);

/** Waits for the focus, which a dialog moves a moment after it has opened. */
export async function untilFocused(target: Locator): Promise<void> {
  await eventually(() => isFocused(target));
}
