import { parseAddress } from '../../src/devtools/devnet/tron/address.js';
import { transactionOf } from '../../src/devtools/devnet/tron/chain/tron-transaction.js';
import { signedTransaction } from '../../src/devtools/devnet/tron/signed-transaction.js';
import {
  addressOfKey,
  TRON_HOT_WALLET_ACCOUNT,
  TRON_HOT_WALLET_INDEX,
  tronPrivateKeys,
} from '../../src/vault/tron/tron-derivation.js';
import type { TronNodeRig } from './tron-node-rig.js';

const RECOVERY_OFFSET = 27;
const LIFETIME_MS = 60_000;
/** The number of energy among the resources. */
const ENERGY = 1n;

/** What the owner of a hot wallet does with its stake, beside the service; in sun. */
export type Staking =
  | { readonly type: 'FreezeBalanceV2Contract'; readonly frozen: bigint }
  | { readonly type: 'UnfreezeBalanceV2Contract'; readonly unfrozen: bigint };

/** Signs a transaction by the key of the hot wallet, and sends it. Returns its id. */
export async function sendAs(rig: TronNodeRig, seed: Uint8Array, staking: Staking): Promise<string> {
  const [key] = tronPrivateKeys(seed, TRON_HOT_WALLET_ACCOUNT, [TRON_HOT_WALLET_INDEX]);
  if (key === undefined) throw new Error('The seed has a key.');
  const { blocks, head } = rig.node.chain;
  const amount: Record<string, bigint> =
    staking.type === 'FreezeBalanceV2Contract'
      ? { frozen_balance: staking.frozen }
      : { unfreeze_balance: staking.unfrozen };
  const signed = signedTransaction({
    account: { privateKey: Buffer.from(key).toString('hex') },
    owner: parseAddress(addressOfKey(key)) ?? '',
    type: staking.type,
    fields: { ...amount, resource: ENERGY },
    reference: blocks.idOf(head),
    timestamp: rig.node.now(),
    expiration: blocks.timeOf(head) + LIFETIME_MS,
  });
  await rig.node.accept(transactionOf(signed.raw, signed.signatures.map(asWallets)));
  return signed.id;
}

/** Wallets of tron write the recovery ids 0 and 1 as 27 and 28. */
const asWallets = (signature: Uint8Array): Uint8Array =>
  Buffer.concat([signature.subarray(0, -1), Buffer.of((signature.at(-1) ?? 0) + RECOVERY_OFFSET)]);
