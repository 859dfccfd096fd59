import { readFileSync } from 'node:fs';
import { z } from 'zod';

const MEMBERS = z.record(z.string(), z.unknown());
const SIGNED = z.object({
  txID: z.string(),
  raw_data: MEMBERS,
  raw_data_hex: z.string(),
  signature: z.array(z.string()).default([]),
});
const WALLET_CORE = z.object({
  data: z.array(
    z.object({
      tx: SIGNED,
      checks: z.object({ signature_recovers_owner: z.boolean().default(false) }),
    }),
  ),
});
const BLOCKS = z.object({
  data: z.array(
    z.object({
      network: z.string(),
      block: z.object({
        blockID: z.string(),
        block_header: z.object({
          raw_data: z.object({
            number: z.number(),
            txTrieRoot: z.string(),
            witness_address: z.string(),
            parentHash: z.string(),
            version: z.number(),
            timestamp: z.number(),
          }),
        }),
        transactions: z.array(SIGNED.extend({ ret: z.array(MEMBERS).optional() })),
      }),
    }),
  ),
});
const RECEIPTS = z.object({ data: z.array(z.object({ kind: z.string(), info: MEMBERS })) });
const BROADCASTS = z.object({
  code_table: z.array(z.object({ code: z.string(), message: z.string() })),
  recorded: z.array(z.object({ code: z.string(), answer: MEMBERS, message_text: z.string() })),
});
const HTTP_ANSWERS = z.object({ answers: z.record(z.string(), z.object({ answer: MEMBERS })) });

function read<T>(name: string, schema: z.ZodType<T>): T {
  return schema.parse(JSON.parse(readFileSync(new URL(`../vectors/tron/${name}.json`, import.meta.url), 'utf8')));
}

/** Transactions that Trust Wallet's tests have signed. */
export const walletCoreTransactions = () => read('wallet-core-transactions', WALLET_CORE).data;

/** Blocks as nodes have answered them. */
export const recordedBlocks = () => read('blocks', BLOCKS).data;

/** Infos of transactions as nodes have answered them, by what the transaction was. */
export const recordedReceipts = () => read('receipts', RECEIPTS).data;

/** Refusals of broadcasts as nodes have answered them, and java-tron's table of codes and messages. */
export const recordedBroadcasts = () => read('broadcast-answers', BROADCASTS);

/** Whole answers of the documentation by their path. */
export const documentedAnswers = () => read('http-answers', HTTP_ANSWERS).answers;

/** The paths of all members of an answer, such as `receipt.net_fee`, sorted; members of lists as `log[].data`. */
export function memberPaths(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((one) => memberPaths(one, `${path}[]`)))].toSorted();
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([name, member]) =>
    memberPaths(member, path === '' ? name : `${path}.${name}`),
  );
  return (inner.length === 0 ? [path] : [...new Set(inner)]).toSorted();
}
