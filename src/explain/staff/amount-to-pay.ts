import { isTerminal } from '../../domain/intent-state.js';
import type { IntentFacts } from '../verdict/intent-verdict-facts.js';
import { isWorthReporting, standingOf } from '../verdict/intent-verdict-standing.js';

/**
 * Returns what the payer still has to send, in smallest units, or null while the payer should send nothing: there is no
 * address, the time is over, enough has arrived, money on hold waits for a decision, or a payment may not be seen.
 */
export function amountToPay({ intent, payments, chain, quarantinedAt, now }: IntentFacts): bigint | null {
  const { quote } = intent;
  if (quote === null || isTerminal(intent.status) || now >= intent.expiresAt) return null;
  if (quarantinedAt !== null || chain === null || !chain.offersToken) return null;
  const standing = standingOf(quote, payments);
  if (standing.received >= standing.required || isWorthReporting(standing.onHold, intent, quote)) return null;
  return quote.cryptoAmount - standing.received;
}
