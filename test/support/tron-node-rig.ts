import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signRecoverable } from 'tiny-secp256k1';
import { z } from 'zod';
import { base58Of, parseAddress } from '../../src/devtools/devnet/tron/address.js';
import { TronNode } from '../../src/devtools/devnet/tron/chain/tron-node.js';
import { TronControls } from '../../src/devtools/devnet/tron/control/control-client.js';
import { tronServer } from '../../src/devtools/devnet/tron/http/tron-server.js';
import { type TronDevAccount, tronDevAccount } from '../../src/devtools/devnet/tron/tron-dev-accounts.js';

const TRANSACTION = z.looseObject({ txID: z.string() });
const BUILT = z.object({ transaction: TRANSACTION });
const ACCEPTED = z.object({ result: z.literal(true), txid: z.string() });
const FEE_LIMIT = 100_000_000;
const WORD_DIGITS = 64;

/** How a contract is called. */
interface CallTerms {
  readonly feeLimit?: number;
  /** What the call pays to the contract. */
  readonly sun?: bigint;
  readonly caller?: TronDevAccount;
}

/** The tron development chain behind HTTP, in the process of the test. It makes no blocks by itself. */
export class TronNodeRig {
  readonly faucet = tronDevAccount('faucet');
  readonly controls: TronControls;

  private constructor(
    readonly dir: string,
    readonly node: TronNode,
    private readonly server: Server,
    readonly url: string,
  ) {
    this.controls = new TronControls(url);
  }

  /** Starts a new chain, or the one whose journal is in the directory. */
  static async start(dir?: string): Promise<TronNodeRig> {
    const place = dir ?? (await mkdtemp(join(tmpdir(), 'coffer-tron-')));
    const journalPath = join(place, 'tron.journal');
    const node = await TronNode.open({ journalPath, intervalMs: 3_000, solidityDistance: 19 });
    if (dir === undefined) await node.change({ isPaused: true });
    const server = tronServer(node);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    return new TronNodeRig(place, node, server, `http://127.0.0.1:${port}`);
  }

  /** Calls the node and returns its answer. */
  async ask(path: string, body: unknown = {}): Promise<unknown> {
    const response = await fetch(`${this.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
    return response.json();
  }

  /** Signs a transaction's id by the faucet's key, or by that of another account. */
  sign(id: string, { privateKey }: TronDevAccount = this.faucet): string {
    const key = Buffer.from(privateKey, 'hex');
    const { signature, recoveryId } = signRecoverable(Buffer.from(id, 'hex'), key);
    return Buffer.concat([signature, Buffer.of(recoveryId)]).toString('hex');
  }

  /**
   * Puts a contract into the solid block, by its creation code: the chain has no transaction that creates one. Its journal does
   * not know it, so the node cannot be started again. Returns its shown address.
   */
  async deploy(code: Uint8Array): Promise<string> {
    const { chain } = this.node;
    const creator = parseAddress(tronDevAccount('rival').address) ?? '';
    const address = await this.node.reading(() => chain.evm.deploy(chain.solidState, creator, code, chain.nextPlace));
    // By its name the chain knows which calls only read: none of these.
    chain.solidState.contracts.set(address, { origin: creator, name: 'PayoutBox' });
    return base58Of(address);
  }

  /** Lets an account, by default the faucet, call a contract, by its shown address and with words as arguments. Returns the transaction's id. */
  async call(
    contract: string,
    signature: string,
    words: readonly string[],
    { feeLimit = FEE_LIMIT, sun = 0n, caller = this.faucet }: CallTerms = {},
  ): Promise<string> {
    const built = BUILT.parse(
      await this.ask('/wallet/triggersmartcontract', {
        owner_address: parseAddress(caller.address),
        contract_address: parseAddress(contract),
        function_selector: signature,
        parameter: words.map((word) => word.padStart(WORD_DIGITS, '0')).join(''),
        fee_limit: feeLimit,
        call_value: Number(sun),
      }),
    );
    return this.send(built.transaction, caller);
  }

  /** Signs and sends a transaction that the node has built. Returns its id. */
  async send(built: z.infer<typeof TRANSACTION>, sender = this.faucet): Promise<string> {
    const signature = [this.sign(built.txID, sender)];
    const answer = await this.ask('/wallet/broadcasttransaction', { ...built, signature });
    return ACCEPTED.parse(answer).txid;
  }

  /** Stops the node and keeps its directory. */
  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await this.node.stop();
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.dir, { recursive: true, force: true });
  }
}
