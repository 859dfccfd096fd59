import { type BlockHeader, ChainUnavailable } from '../chain.js';
import { chainParametersShape, parsed } from './answer-shapes.js';
import { headerIn } from './block-header.js';
import type { TransferEnergy, TronConditions } from './payment-conditions.js';
import { LIFETIME_MS } from './planned-transaction.js';
import { stakeOf } from './stake.js';
import { TokenCalls } from './token-calls.js';
import { keyOfHash } from './tron-address.js';
import type { TronHttp } from './tron-http.js';

/** An address of random bytes, which holds no token. */
const HOLDS_NOTHING = keyOfHash('5b2f0f8e6c1d4a7390be21c4d6f8071a93e5b4d2');

/** A final block has 18 others above it at least, which take 54 s. A head that is higher shortens the lifetime of payments. */
const HEAD_ABOVE_FINAL_MAX_MS = 84_000;
/** What must be left of a lifetime above the head: time to sign, to send and to be mined. */
const LEFT_MIN_MS = 30_000;

/**
 * Returns the fees and the newest blocks. The solid block must be on the node's own chain: with another one, a transaction
 * would never be mined, and could not be proven dead either.
 * @param tokens keys of contracts
 * @param payer the address that pays, by which transfers are tried; null = none
 */
export async function currentConditions(
  http: Pick<TronHttp, 'ask'>,
  tokens: readonly string[],
  payer: string | null,
): Promise<TronConditions> {
  const solid = headerIn(await http.ask('walletsolidity', 'getblock', { detail: false }));
  const [head, named, parameters] = await Promise.all([
    http.ask('wallet', 'getblock', { detail: false }).then(headerIn),
    http.ask('wallet', 'getblock', { id_or_num: String(solid.height), detail: false }).then(headerIn),
    chainParameters(http),
  ]);
  if (named.hash !== solid.hash || head.height < solid.height) {
    throw new ChainUnavailable(`The node's final block ${solid.hash} is not on its chain.`);
  }
  const stake = payer === null ? null : await stakeOf(http, payer, parameters('getFreeNetLimit'));
  return {
    solidHeight: solid.height,
    solidHash: solid.hash,
    headTime: headTimeOf(head, solid),
    energyPrice: parameters('getEnergyFee'),
    bytePrice: parameters('getTransactionFee'),
    activationFee: parameters('getCreateNewAccountFeeInSystemContract'),
    newAccountFee: parameters('getCreateAccountFee'),
    energy: payer === null ? {} : await energyByToken(http, tokens, payer),
    changedTokens: await changedTokens(http, tokens),
    ...(stake !== null && { stake }),
  };
}

/**
 * Returns the time that payments live from. Their bytes name the solid block and not the head: with a made-up head far above it,
 * they would outlive what a restored database waits for. So they live from a time that the solid block bounds.
 * @throws ChainUnavailable when such a payment would expire before it is mined
 */
function headTimeOf(head: BlockHeader, solid: BlockHeader): number {
  const aheadMs = head.time.getTime() - solid.time.getTime();
  const headTime = solid.time.getTime() + Math.min(aheadMs, HEAD_ABOVE_FINAL_MAX_MS);
  if (headTime + LIFETIME_MS - head.time.getTime() >= LEFT_MIN_MS) return headTime;
  throw new ChainUnavailable(`The node's newest block is ${aheadMs} ms above its final block ${solid.hash}.`);
}

async function changedTokens(http: Pick<TronHttp, 'ask'>, tokens: readonly string[]): Promise<string[]> {
  const calls = new TokenCalls(http, 'wallet');
  const changes = await Promise.all(tokens.map((token) => calls.changeOf(token)));
  return tokens.filter((_token, place) => changes[place] !== null);
}

async function chainParameters(http: Pick<TronHttp, 'ask'>): Promise<(key: string) => bigint> {
  const answer = await http.ask('wallet', 'getchainparameters', {});
  const { chainParameter } = parsed(chainParametersShape, answer, 'list of parameters');
  const byKey = new Map(chainParameter.map(({ key, value }) => [key, value]));
  return (key) => {
    const value = byKey.get(key);
    if (value === undefined || value < 0) throw new ChainUnavailable(`The node does not say ${key}.`);
    return BigInt(value);
  };
}

/** Tokens of which the payer has nothing are left out, since none of their transfers can be tried. */
async function energyByToken(
  http: Pick<TronHttp, 'ask'>,
  tokens: readonly string[],
  payer: string,
): Promise<Readonly<Record<string, TransferEnergy>>> {
  const calls = new TokenCalls(http, 'wallet');
  const tried = await Promise.all(
    tokens.map(async (token) => {
      // To itself costs as much as to any address that holds some.
      const transfers = [payer, HOLDS_NOTHING].map((to) => calls.transfer({ token, from: payer, to, amount: 1n }));
      const [held = 0n, fresh = 0n] = (await Promise.all(transfers)).map((outcome) =>
        outcome.kind === 'returned' ? outcome.energy : 0n,
      );
      return held > 0n && fresh > 0n ? ([[token, { held, fresh }]] as const) : [];
    }),
  );
  return Object.fromEntries(tried.flat());
}
