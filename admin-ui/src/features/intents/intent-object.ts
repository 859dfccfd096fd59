import type { components } from '../../api/schema.d.ts';

export type IntentDetail = components['schemas']['StaffIntentDetail'];
export type IntentAction = components['schemas']['IntentAction'];
export type Quote = components['schemas']['QuoteEvidence'];

/** The page of an explorer; null for development chains. */
export function explorerUrl(
  explorer: IntentDetail['explorer'],
  page: 'transaction' | 'address',
  key: string,
): string | null {
  return explorer === null ? null : `${explorer[page]}${encodeURIComponent(key)}${explorer.suffix}`;
}
