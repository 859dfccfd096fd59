import { HOT_ADDRESS, HOT_KEY } from '../../../test/support/tron-transactions.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { addressOfKey } from '../../vault/tron/tron-derivation.js';
import { signTronTransaction } from '../../vault/tron/tron-signing.js';
import type { OrderedEnergy } from '../energy-move.js';
import type { OrderedStake } from '../stake-move.js';
import { contradictionInTransaction } from './signed-order.js';
import { keyOfHash } from './tron-address.js';
import type { TronAction } from './unsigned-transaction.js';

const TO = keyOfHash('a1'.repeat(20));
const TOKEN = keyOfHash('b2'.repeat(20));

const signed = (action: TronAction) => ({
  sender: HOT_ADDRESS,
  ...signTronTransaction([HOT_KEY], {
    family: 'tron',
    owner: HOT_ADDRESS,
    action,
    refBlock: `000000000012d687${'d4'.repeat(24)}`,
    expiration: 1_800_000_090_000,
    timestamp: 1_799_999_940_007,
    feeLimit: action.kind === 'token' ? 26_200_000n : 0n,
  }),
});
const ofCoins = signed({ kind: 'coin', to: TO, amount: 5n });
const ofTokens = signed({ kind: 'token', to: TO, token: TOKEN, amount: 7n });
const coins = { token: NATIVE_COIN, amount: '5', recipient: TO };
const tokens = { token: TOKEN, amount: '7', recipient: TO };
const other = addressOfKey(Buffer.alloc(32, 9));

const NOTHING = 'does what nothing ordered';
const UNSIGNED = 'holds bytes that its sender has not signed';
const ANOTHER = 'holds the bytes of another transaction';

type Bytes = Parameters<typeof contradictionInTransaction>[0];
type Payment = Parameters<typeof contradictionInTransaction>[1]['payment'];

it.each<[string, readonly [Bytes, Payment], string | null]>([
  ['coins that were ordered', [ofCoins, coins], null],
  ['tokens that were ordered', [ofTokens, tokens], null],
  ['no order', [ofTokens, null], NOTHING],
  ['another amount', [ofTokens, { ...tokens, amount: '8' }], NOTHING],
  ['another recipient', [ofCoins, { ...coins, recipient: other }], NOTHING],
  ['another token', [ofTokens, { ...tokens, token: other }], NOTHING],
  ['coins for tokens', [ofCoins, tokens], NOTHING],
  ['another sender', [{ ...ofTokens, sender: other }, tokens], ANOTHER],
  ['another id', [{ ...ofTokens, txHash: ofCoins.txHash }, tokens], ANOTHER],
  ['no bytes', [{ ...ofTokens, raw: '' }, tokens], 'holds bytes that are no transaction'],
  ['other bytes', [{ ...ofTokens, raw: 'ffff' }, tokens], 'holds bytes that are no transaction'],
])('signed bytes with %s are judged by their order', (_what, [bytes, order], says) => {
  expect(contradictionInTransaction(bytes, { payment: order, energy: null, stake: null, loss: null })).toBe(says);
});

it.each<[string, Bytes, string | null]>([
  ['its sender has signed', ofTokens, null],
  ['another sender has signed', { ...ofTokens, sender: other }, UNSIGNED],
  ['has another id', { ...ofTokens, txHash: ofCoins.txHash }, UNSIGNED],
  ['has no bytes', { ...ofTokens, raw: '' }, UNSIGNED],
])('a loss that %s is judged by its signature', (_what, bytes, says) => {
  expect(contradictionInTransaction(bytes, { payment: null, energy: null, stake: null, loss: {} })).toBe(says);
});

it.each<[string, OrderedEnergy, string | null]>([
  ['that was ordered', { move: 'lend', borrower: TO, stake: '8000000' }, null],
  ['of another stake', { move: 'lend', borrower: TO, stake: '8000001' }, NOTHING],
  ['of another address', { move: 'lend', borrower: other, stake: '8000000' }, NOTHING],
  ['that was to be taken back', { move: 'take_back', borrower: TO, stake: '8000000' }, NOTHING],
])('a loan of energy %s is judged by its order', (_what, energy, says) => {
  const lent = signed({ kind: 'delegate', to: TO, amount: 8_000_000n });
  expect(contradictionInTransaction(lent, { payment: null, energy, stake: null, loss: null })).toBe(says);
});

it.each<[string, TronAction, OrderedStake, string | null]>([
  ['that was ordered', { kind: 'stake', amount: 8_000_000n }, { move: 'stake', amount: '8000000' }, null],
  ['that comes back as ordered', { kind: 'unstake', amount: 5n }, { move: 'unstake', amount: '5' }, null],
  ['that is withdrawn as ordered', { kind: 'withdraw', amount: 0n }, { move: 'withdraw', amount: '0' }, null],
  ['of another amount', { kind: 'stake', amount: 8_000_001n }, { move: 'stake', amount: '8000000' }, NOTHING],
  ['that was to come back', { kind: 'stake', amount: 8_000_000n }, { move: 'unstake', amount: '8000000' }, NOTHING],
  ['for a loan', { kind: 'delegate', to: TO, amount: 8_000_000n }, { move: 'stake', amount: '8000000' }, NOTHING],
])('a stake %s is judged by its order', (_what, action, stake, says) => {
  const bytes = signed(action);
  expect(contradictionInTransaction(bytes, { payment: null, energy: null, stake, loss: null })).toBe(says);
});
