/**
 * The process of Solana's development chain: JSON-RPC on 127.0.0.1 over LiteSVM's virtual machine. Programs, signatures of
 * programs, rent and compute units are the virtual machine's; the rest of a node is in this directory.
 *
 * Verified as by a node, with the source of each rule:
 * - form and indexes of transactions of the versions legacy, 0 and 1: solana-message `sanitize`, SIMD-0385
 *   (`wire-transaction`, `sanitize`); 1,232 bytes, 4,096 in version 1: Agave `PACKET_DATA_SIZE`, SIMD-0385;
 * - Ed25519 signatures of all signers, before the preflight and again in the block: Agave `verify_transaction`
 *   (`signatures`);
 * - a blockhash of the last 150 blocks before the parent, inclusive, so that a transaction can land one block after its
 *   `lastValidBlockHeight`: Agave `BlockhashQueue::is_hash_index_valid`, `MAX_PROCESSING_AGE` (`chain`);
 * - one message lands once: Agave `StatusCache`, by the hash of the message (`transaction-index`);
 * - a fee per signature, plus the price per compute unit times the limit, rounded up, also for failures: Agave
 *   solana-fee, SIMD-0170 for the default limit (`transaction-fee`); what a block keeps is what the accounts have lost;
 * - a transaction whose fee cannot be charged is in no block, and is tried again until its blockhash is too old: Agave
 *   send-transaction-service (`chain`);
 * - funds of the fee payer, rent of all accounts, account locks, lookup tables, loaded data: the virtual machine, which is
 *   Agave's SVM (`executor`); the size of loaded data in simulations: SIMD-0186 (`loaded-size`);
 * - preflight on the bank of its commitment, -32002 with the simulation, -32003, -32005, -32016: Agave `rpc.rs`
 *   `send_transaction` (`send-methods`, `simulation`);
 * - skipped, missing and cleaned up slots, -32001, -32004, -32007, -32009: Agave `rpc.rs` `get_block`,
 *   `check_blockstore_root` (`block-methods`); -32015: Agave `validate_version` (`transaction-answer`); -32020: Agave
 *   `get_signatures_for_address` (`history-methods`);
 * - texts of errors: solana-transaction-error, solana-instruction-error (`error-names`), `custom_error.rs` (`rpc-error`).
 *
 * Not modelled: WebSocket subscriptions; votes, leaders, stakes, rewards and epochs (no method about them; all slots are in
 * epochs of 432,000); durable nonces (the virtual machine does not advance them after a failure, and the chain takes no
 * transaction by one); limits of compute units per block; forks that compete (a fork drops blocks, and its slots stay
 * empty); -32014; `getProgramAccounts`, `getLargestAccounts`; the encoding base64+zstd; extensions of Token-2022 in
 * `jsonParsed`, and instructions of other programs than system, token, associated token and memo; balances after a failed
 * simulation; code of upgradeable programs in the limit of loaded data, which the virtual machine does not count;
 * `costUnits`; a failure of the machine's power.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { SolanaChain } from './chain.js';
import { Journal, JournalError, type Genesis } from './journal.js';
import { SolanaNode } from './node.js';
import { replay } from './replay.js';
import { rpcServer } from './rpc-server.js';
import { SlotClock } from './slot-clock.js';

const { values } = parseArgs({
  options: {
    journal: { type: 'string' },
    port: { type: 'string' },
    'slot-ms': { type: 'string' },
    confirmed: { type: 'string' },
    finalized: { type: 'string' },
    'lamports-per-byte': { type: 'string' },
  },
});

function numberOf(name: Exclude<keyof typeof values, 'journal'>): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} must be a whole number.`);
  return value;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Returns the chain of a journal, or a new one. */
async function openChain(path: string): Promise<SolanaChain> {
  const { journal, entries } = Journal.open(path);
  const [first, ...rest] = entries;
  if (first === undefined) {
    const genesis: Genesis = {
      type: 'genesis',
      nonce: randomBytes(16).toString('hex'),
      timeMs: Date.now(),
      lamportsPerByte: numberOf('lamports-per-byte'),
      confirmed: numberOf('confirmed'),
      finalized: numberOf('finalized'),
    };
    journal.append(genesis);
    return new SolanaChain(genesis, journal);
  }
  if (first.type !== 'genesis') throw new JournalError('The journal does not begin with a genesis.');
  const chain = new SolanaChain(first, journal);
  await replay(chain, rest);
  return chain;
}

const started = performance.now();
const chain = await openChain(values.journal ?? '');
say(`The chain has ${chain.transactions.count} transactions after ${Math.round(performance.now() - started)} ms.`);
const clock = new SlotClock(chain, numberOf('slot-ms'));
const server = rpcServer(new SolanaNode(chain), say);
const port = numberOf('port');
server.once('error', (error) => {
  say(`It cannot listen: ${error.message}`);
  process.exit(1);
});
server.listen(port, '127.0.0.1', () => {
  clock.start();
  say(`Listening on 127.0.0.1:${port}`);
});
process.once('SIGTERM', () => {
  clock.stop();
  server.close(() => process.exit(0));
  server.closeAllConnections();
});
