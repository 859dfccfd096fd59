import * as fc from 'fast-check';
import { utils } from 'tronweb';
import { hexOfKey, keyOfHash } from '../../src/chains/tron/tron-address.js';
import type { TronAction, UnsignedTronTransaction } from '../../src/chains/tron/unsigned-transaction.js';
import { addressOfKey } from '../../src/vault/tron/tron-derivation.js';

const privateKey = (fill: number): Uint8Array => Buffer.alloc(32, fill);

/** A key that stands for the hot wallet's, and one of somebody else. */
export const HOT_KEY = privateKey(1);
export const OTHER_KEY = privateKey(2);
export const HOT_ADDRESS = addressOfKey(HOT_KEY);

const hex = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array) => Buffer.from(array).toString('hex'));
const anyAddress = hex(20).map(keyOfHash);
const anyAmount = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });

const anyAction: fc.Arbitrary<TronAction> = fc.oneof(
  fc.record({ kind: fc.constant('coin'), to: anyAddress, amount: anyAmount }),
  fc.record({ kind: fc.constant('token'), to: anyAddress, token: anyAddress, amount: anyAmount }),
  fc.record({ kind: fc.constantFrom('delegate', 'undelegate'), to: anyAddress, amount: anyAmount }),
  fc.record({ kind: fc.constantFrom('stake', 'unstake'), amount: anyAmount }),
  fc.record({ kind: fc.constant('withdraw'), amount: fc.constant(0n) }),
);

/** A payment of the hot wallet. */
export const anyUnsigned: fc.Arbitrary<UnsignedTronTransaction> = fc
  .record({
    family: fc.constant('tron'),
    owner: fc.constant(HOT_ADDRESS),
    action: anyAction,
    refBlock: hex(32),
    expiration: fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
    timestamp: fc.integer({ min: 1_600_000_000_000, max: 1_700_000_000_000 }),
    feeLimit: fc.bigInt({ min: 1n, max: 15_000_000_000n }),
  })
  .map((unsigned) => ({ ...unsigned, feeLimit: unsigned.action.kind === 'token' ? unsigned.feeLimit : 0n }));

/** What tronweb makes of the same terms: its bytes, and its id. Its numbers are exact up to 2^53. */
export function byTronWeb(unsigned: UnsignedTronTransaction): { readonly rawDataHex: string; readonly txId: string } {
  const { owner, action, refBlock, expiration, timestamp, feeLimit } = unsigned;
  const [type, value] = contractOf(action);
  const { txJsonToPb, txPbToRawDataHex, txPbToTxID } = utils.transaction;
  const message: unknown = txJsonToPb({
    raw_data: {
      contract: [
        {
          type,
          parameter: {
            type_url: `type.googleapis.com/protocol.${type}`,
            value: { owner_address: hexOfKey(owner), ...value },
          },
        },
      ],
      ref_block_bytes: refBlock.slice(12, 16),
      ref_block_hash: refBlock.slice(16, 32),
      expiration,
      timestamp,
      ...(feeLimit > 0n && { fee_limit: Number(feeLimit) }),
    },
  });
  return { rawDataHex: txPbToRawDataHex(message).toLowerCase(), txId: txPbToTxID(message).replace(/^0x/, '') };
}

function contractOf(action: TronAction): readonly [type: string, value: object] {
  if (action.kind === 'coin')
    return ['TransferContract', { to_address: hexOfKey(action.to), amount: Number(action.amount) }];
  if (action.kind === 'token') {
    const data = `a9059cbb${hexOfKey(action.to).slice(2).padStart(64, '0')}${action.amount.toString(16).padStart(64, '0')}`;
    return ['TriggerSmartContract', { contract_address: hexOfKey(action.token), data }];
  }
  if (action.kind === 'delegate' || action.kind === 'undelegate') {
    const type = action.kind === 'delegate' ? 'DelegateResourceContract' : 'UnDelegateResourceContract';
    return [type, { receiver_address: hexOfKey(action.to), balance: Number(action.amount), resource: 'ENERGY' }];
  }
  if (action.kind === 'withdraw') return ['WithdrawExpireUnfreezeContract', {}];
  const amount = Number(action.amount);
  return action.kind === 'stake'
    ? ['FreezeBalanceV2Contract', { frozen_balance: amount, resource: 'ENERGY' }]
    : ['UnfreezeBalanceV2Contract', { unfreeze_balance: amount, resource: 'ENERGY' }];
}
