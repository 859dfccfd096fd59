import { z } from 'zod';
import { SETTINGS_CHANGE } from '../chain/settings.js';

/** Where the control calls are; nodes have no such path. */
export const CONTROL_PATH = '/coffer/';

const COUNT = z.number().int().min(1).max(100_000);
const ADDRESS = z.string();
const TOKEN = z.enum(['USDT', 'USDC']);

export type TestToken = z.infer<typeof TOKEN>;

/** What a node does with the next calls of one name. */
const FAILURE = z
  .object({
    /** The last part of its path, such as `broadcasttransaction`. */
    call: z.string(),
    count: COUNT.default(1),
    /**
     * `unavailable`: HTTP 503, and nothing is done. `no_answer`: it is done, and the connection ends without an answer.
     * `busy` and `unsolidified`: a broadcast is refused for a state of the node.
     */
    how: z.enum(['unavailable', 'no_answer', 'busy', 'unsolidified']),
  })
  .strict()
  .refine(({ call, how }) => call.startsWith('broadcast') || how === 'unavailable' || how === 'no_answer', {
    error: 'Only broadcasts are refused for a state of the node.',
  });

export type NodeFailure = z.infer<typeof FAILURE>;

/** The parameters of each control call. */
export const CONTROL_PARAMS = {
  info: z.object({}).strict(),
  /** Makes blocks at once. */
  mine: z.object({ blocks: COUNT }).strict(),
  /** Lets slots pass without a block. */
  miss: z.object({ slots: COUNT }).strict(),
  advanceClock: z.object({ ms: z.number().int().positive() }).strict(),
  /** Drops the last blocks; their transactions are pending again when `keep`, and vanish otherwise. */
  fork: z.object({ blocks: COUNT, keep: z.boolean() }).strict(),
  settings: SETTINGS_CHANGE,
  /** Sends TRX or tokens of the faucet, in smallest units. */
  fund: z.object({ to: ADDRESS, token: TOKEN.nullable(), amount: z.string().regex(/^\d+$/) }).strict(),
  /** Lets the owner of a token block an account, or release it. */
  block: z.object({ token: TOKEN, account: ADDRESS, isBlocked: z.boolean() }).strict(),
  /** Lets the owner of USDT take a fee: hundredths of a percent, at most so many whole tokens. */
  tokenFee: z.object({ basisPoints: z.number().int(), maxFee: z.number().int() }).strict(),
  /** Lets the owner of USDT deprecate it in favour of another contract. */
  deprecate: z.object({ upgraded: ADDRESS }).strict(),
  /** Lets the owner of USDC pause all transfers. */
  pauseToken: z.object({ isPaused: z.boolean() }).strict(),
  failNext: FAILURE,
} as const;

export type ControlCall = keyof typeof CONTROL_PARAMS;

/** Addresses as they are shown. */
const INFO = z.object({
  genesisId: z.string(),
  head: z.number(),
  headId: z.string(),
  solid: z.number(),
  /** Ms of the chain's clock. */
  now: z.number(),
  intervalMs: z.number(),
  pending: z.number(),
  tokens: z.object({ USDT: z.string(), USDC: z.string() }),
  contracts: z.object({ PayoutBox: z.string(), StorageWriter: z.string(), RevertingForwarder: z.string() }),
});

/** The chain as its control calls describe it. */
export type TronChainInfo = z.infer<typeof INFO>;

/** What control calls answer: the chain afterwards, and the id of the transaction that was sent. */
export const CONTROL_ANSWER = z.object({ info: INFO, transactionId: z.string().optional() });

export type ControlAnswer = z.infer<typeof CONTROL_ANSWER>;
