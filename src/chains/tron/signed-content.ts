import { createHash } from 'node:crypto';
import type { SignedBytes } from '../expiring-transaction.js';
import { type DecodedAction, decodedContract } from './decoded-action.js';
import { signerOf } from './signed-transaction-check.js';
import { fieldsOf } from './transaction-fields.js';
import { hexOfKey } from './tron-address.js';

const EXPIRATION = 8;
const FEE_LIMIT = 18;

/** Whether bytes are the transaction with this id, and signed by its owner. */
export function isSentBy({ raw, txHash }: SignedBytes, sender: string): boolean {
  const parts = partsOf(raw);
  if (parts === null) return false;
  const digest = createHash('sha256').update(parts.rawData).digest();
  const owner = contentOf(parts.rawData)?.owner ?? null;
  return digest.toString('hex') === txHash && owner === hexOfKey(sender) && signerOf(digest, parts.signature) === owner;
}

function partsOf(raw: string): { readonly rawData: Buffer; readonly signature: Buffer } | null {
  try {
    const [rawData, signature, ...others] = fieldsOf(Buffer.from(raw, 'hex')).map(({ value }) => value);
    const areBytes = rawData instanceof Buffer && signature instanceof Buffer && others.length === 0;
    return areBytes ? { rawData, signature } : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** What a transaction does, and until when. */
interface Content {
  /** In hex. */
  readonly owner: string;
  readonly action: DecodedAction;
  /** The action as JSON shows it. */
  readonly shown: Readonly<Record<string, string>>;
  /** Ms. */
  readonly expiration: number;
  readonly feeLimit: bigint;
}

/** Reads the signed part of a transaction; null when it has another form. */
export function contentOf(rawData: Buffer): Content | null {
  try {
    const fields = fieldsOf(rawData);
    const numberAt = (number: number): bigint => {
      const value = fields.find((field) => field.number === number)?.value;
      return typeof value === 'bigint' ? value : 0n;
    };
    const { owner, action } = decodedContract(rawData);
    const shown = Object.fromEntries(Object.entries(action).map(([name, value]) => [name, String(value)]));
    return { owner, action, shown, expiration: Number(numberAt(EXPIRATION)), feeLimit: numberAt(FEE_LIMIT) };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
