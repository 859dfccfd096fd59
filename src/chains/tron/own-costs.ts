import { NATIVE_COIN } from '../../domain/network.js';
import type { OwnCost, SweepSource } from '../expiring-sweeps.js';
import { bandwidthShape, parsed } from './answer-shapes.js';
import type { TronConditions } from './payment-conditions.js';
import { coinSweepCost, tokenSweepCost } from './sweep-fee.js';
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
  if (token === NATIVE_COIN) return coinSweepCost(await freeBandwidthOf(http, owner), at);
  const outcome = await new TokenCalls(http, 'wallet').transfer({ token, from: owner, to: hotWallet, amount });
  return outcome.kind === 'returned' ? tokenSweepCost(outcome.energy, at) : null;
}

/** Bytes that an address may still send today without paying; 0 for one that was never activated. */
async function freeBandwidthOf(http: Http, owner: string): Promise<bigint> {
  const answer = await http.ask('wallet', 'getaccountnet', { address: hexOfKey(owner) });
  const { freeNetLimit, freeNetUsed } = parsed(bandwidthShape, answer, 'bandwidth');
  return BigInt(Math.max(0, freeNetLimit - freeNetUsed));
}
