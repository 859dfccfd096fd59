/**
 * A node of Tron with blocks as they are on the main network, of which only the heights differ: 380 transactions, of which
 * 45 % move USDT, 35 % move TRX, and the rest is neither. Run by `fork`; takes a `TronBlocks`, answers with its URL.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

const PER_BLOCK = 380;
const SIGNATURE = 'ab'.repeat(65);
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const SLOT_MS = 3_000;
const GENESIS_MS = 1_750_000_000_000;
/** Written into the template where infos name their block. */
const HEIGHT = '"@height"';
const TIME = '"@time"';

/** Blocks 0 to `blocks`, in which one transfer in a hundred goes to one of `ours`; addresses by their 20 bytes in hex. */
export interface TronBlocks {
  readonly blocks: number;
  readonly usdt: string;
  readonly ours: readonly string[];
}

const sha256 = (of: string): string => createHash('sha256').update(of).digest('hex');
const idOf = (height: number): string => height.toString(16).padStart(16, '0') + sha256(`block ${height}`).slice(16);
const timeOf = (height: number): number => GENESIS_MS + height * SLOT_MS;
const word = (hash: string): string => hash.padStart(64, '0');

function headerOf(height: number): object {
  return {
    blockID: idOf(height),
    block_header: {
      raw_data: {
        ...(height > 0 && { number: height }),
        txTrieRoot: sha256('root'),
        witness_address: `41${sha256('witness').slice(24)}`,
        parentHash: idOf(Math.max(0, height - 1)),
        version: 34,
        timestamp: timeOf(height),
      },
      witness_signature: SIGNATURE,
    },
  };
}

function bodiesOf({ usdt, ours }: TronBlocks): { readonly transactions: string; readonly infos: string } {
  const pairs = Array.from({ length: PER_BLOCK }, (_, nth) => {
    const kind = nth % 20;
    const to = (nth % 100 === 0 ? ours[nth / 100] : undefined) ?? sha256(`to ${nth}`).slice(24);
    const from = sha256(`from ${nth}`).slice(24);
    return kind < 9
      ? tokenTransfer(nth, from, to, usdt)
      : kind < 16
        ? coinTransfer(nth, from, to)
        : delegation(nth, from, to);
  });
  return {
    transactions: JSON.stringify(pairs.map(({ transaction }) => transaction)),
    infos: JSON.stringify(pairs.map(({ info }) => info)),
  };
}

interface Pair {
  readonly transaction: object;
  readonly info: object;
}

function pairOf(nth: number, type: string, value: object, info: object): Pair {
  const id = sha256(`transaction ${nth}`);
  const contract = [{ parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type }];
  const times = { expiration: GENESIS_MS, timestamp: GENESIS_MS + nth };
  return {
    transaction: {
      ret: [{ contractRet: 'SUCCESS' }],
      signature: [SIGNATURE],
      txID: id,
      raw_data: { contract, ref_block_bytes: 'a358', ref_block_hash: 'c773a99ac91938c6', ...times },
      raw_data_hex: '0a'.repeat(type === 'TriggerSmartContract' ? 210 : 130),
    },
    info: { id, fee: 345_000, blockNumber: '@height', blockTimeStamp: '@time', contractResult: [''], ...info },
  };
}

const coinTransfer = (nth: number, from: string, to: string): Pair =>
  pairOf(
    nth,
    'TransferContract',
    { amount: 1 + nth, owner_address: `41${from}`, to_address: `41${to}` },
    { receipt: { net_usage: 268 } },
  );

const delegation = (nth: number, from: string, to: string): Pair =>
  pairOf(
    nth,
    'DelegateResourceContract',
    { balance: 248_167_143, receiver_address: `41${to}`, owner_address: `41${from}`, resource: 'ENERGY' },
    { receipt: { net_usage: 285 } },
  );

const tokenTransfer = (nth: number, from: string, to: string, usdt: string): Pair =>
  pairOf(
    nth,
    'TriggerSmartContract',
    { data: `a9059cbb${word(to)}${word('64')}`, owner_address: `41${from}`, contract_address: `41${usdt}` },
    {
      contractResult: [word('0')],
      contract_address: `41${usdt}`,
      receipt: {
        energy_usage: 64_285,
        energy_usage_total: 64_285,
        net_fee: 345_000,
        result: 'SUCCESS',
        energy_penalty_total: 49_635,
      },
      log: [{ address: usdt, topics: [TRANSFER, word(from), word(to)], data: word('64') }],
    },
  );

async function serve(order: TronBlocks): Promise<void> {
  const { transactions, infos } = bodiesOf(order);
  const answers: Readonly<Record<string, (height: number) => string>> = {
    getblock: (height) => JSON.stringify(headerOf(height)),
    getblockbynum: (height) => `${JSON.stringify(headerOf(height)).slice(0, -1)},"transactions":${transactions}}`,
    gettransactioninfobyblocknum: (height) =>
      infos.replaceAll(HEIGHT, String(height)).replaceAll(TIME, String(timeOf(height))),
  };
  const serveOne = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { num, id_or_num: id }: { num?: number; id_or_num?: string } = JSON.parse(await text(request));
    const method = (request.url ?? '').split('/').at(-1) ?? '';
    response.end(answers[method]?.(num ?? (id === undefined ? order.blocks : Number(id))) ?? '{}');
  };
  const server = createServer((request, response) => void serveOne(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  process.send?.({ url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` });
}

process.once('message', (order: TronBlocks) => void serve(order));
