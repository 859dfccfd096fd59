import { base58 } from '@scure/base';
import * as fc from 'fast-check';
import type { FundsMove, UnsignedMoves } from '../../src/chains/solana/unsigned-moves.js';
import { seedOf } from '../../src/vault/derivation.js';
import {
  DEPOSIT_STEP,
  HOT_WALLET_STEP,
  SOLANA_HOT_WALLET_INDEX,
  type SolanaKey,
  solanaKey,
} from '../../src/vault/solana/solana-derivation.js';

const seed = seedOf(Buffer.alloc(32, 7));

/** The keys of a hot wallet and of two deposit addresses. */
export const HOT_KEY = solanaKey(seed, SOLANA_HOT_WALLET_INDEX, HOT_WALLET_STEP);
export const DEPOSIT_KEYS: readonly SolanaKey[] = [1, 2].map((index) => solanaKey(seed, index, DEPOSIT_STEP));

export const anyAddress = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => base58.encode(bytes));
const anyAmount = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });

const tokenMoveFrom = (from: string): fc.Arbitrary<FundsMove> =>
  fc.record({
    kind: fc.constant('token'),
    from: fc.constant(from),
    to: anyAddress,
    token: anyAddress,
    decimals: fc.nat(255),
    amount: anyAmount,
    opensAccount: fc.boolean(),
  });

const anyMoveFrom = (from: string): fc.Arbitrary<FundsMove> =>
  fc.oneof(
    fc.record({ kind: fc.constant('coin'), from: fc.constant(from), to: anyAddress, amount: anyAmount }),
    tokenMoveFrom(from),
    fc.record({ kind: fc.constant('close'), from: fc.constant(from), token: anyAddress, to: anyAddress }),
  );

const movesOf = (moves: fc.Arbitrary<readonly FundsMove[]>): fc.Arbitrary<UnsignedMoves> =>
  fc.record({
    family: fc.constant('solana'),
    payer: fc.constant(HOT_KEY.address),
    moves,
    blockhash: anyAddress,
    computeUnitLimit: fc.integer({ min: 1, max: 1_400_000 }),
    computeUnitPrice: fc.bigInt({ min: 0n, max: 5_000_000n }),
  });

/** A payment of the hot wallet. */
export const anyUnsignedPayment = movesOf(anyMoveFrom(HOT_KEY.address).map((move) => [move]));

/** A sweep of both deposit addresses. */
export const anyUnsignedSweep = movesOf(
  fc.tuple(...DEPOSIT_KEYS.map(({ address }) => anyMoveFrom(address)), anyMoveFrom(HOT_KEY.address)),
);
