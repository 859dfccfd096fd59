import { NATIVE_COIN } from '../../domain/network.js';
import type { OwnCost, SweepSource } from '../expiring-sweeps.js';
import { bandwidthShape, parsed } from './answer-shapes.js';
import type { TronConditions } from './payment-conditions.js';
import { coinSweepCost, lentSweepCost, tokenSweepCost } from './sweep-fee.js';
import { TokenCalls } from './token-calls.js';
import { hexOfKey } from './tron-address.js';
import type { TronHttp } from './tron-http.js';

type Http = Pick<TronHttp, 'ask'>;

/** Returns what a sweep costs its only source, by trying it on the newest state; null where it would fail. */
export async function ownCostOf(
  http: Http,
  { owner, funds: [one] }: SweepSource,
  { hotWallet, at }: { readonly hotWallet: string; readonly at: TronConditions },
): Promise<OwnCost | null> {
  if (one === undefined) throw new RangeError('A sweep moves a token.');
  const { token, amount } = one;
  if (token === NATIVE_COIN) return { ...coinSweepCost((await bandwidthOf(http, owner)) ?? 0n, at), lent: null };
  const outcome = await new TokenCalls(http, 'wallet').transfer({ token, from: owner, to: hotWallet, amount });
  if (outcome.kind !== 'returned') return null;
  const { energy } = outcome;
  const lent = at.stake === undefined ? null : lentSweepCost(energy, await bandwidthOf(http, owner), at.stake, at);
  return { ...tokenSweepCost(energy, at), lent };
}

/** Bytes that an address may still send today without paying; null for one that was never activated. */
async function bandwidthOf(http: Http, owner: string): Promise<bigint | null> {
  const answer = await http.ask('wallet', 'getaccountnet', { address: hexOfKey(owner) });
  const { freeNetLimit, freeNetUsed } = parsed(bandwidthShape, answer, 'bandwidth');
  return freeNetLimit === 0 ? null : BigInt(Math.max(0, freeNetLimit - freeNetUsed));
}
