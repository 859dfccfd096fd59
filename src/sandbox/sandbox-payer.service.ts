import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { DevChain } from '../devnet/dev-chain.js';
import { DevRpcRefusal } from '../devnet/dev-rpc.js';
import { type SignedTransfer, broadcastTransfer, nextNonce, signTestTransfer } from '../devnet/test-transfer.js';
import { NATIVE_COIN } from '../domain/network.js';
import { hasErrorCode } from '../platform/processes.js';
import { Database } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import { JobQueue } from '../platform/queue/job-queue.js';
import { RUNTIME, type Runtime } from '../platform/runtime.js';

const UNIQUE_VIOLATION = '23505';
const SWEEP_BATCH = 100;

interface OrderRow {
  id: string;
  chain_ref: string;
  genesis_hash: string;
  network: string;
  token: string;
  token_contract: string;
  to_address: string;
  amount: string;
  status: 'queued' | 'signed' | 'sent' | 'failed';
  sender: string | null;
  nonce: string | null;
  raw_transaction: string | null;
  tx_hash: string | null;
}

/**
 * Executes sandbox orders from the payer account of the development chains. The signed bytes are stored before they are
 * sent, and sent again after a crash: one order is one payment.
 */
@Injectable()
export class SandboxPayer {
  /** One order of a chain at a time, so that nonces follow each other. */
  private readonly turns = new Map<string, Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly queue: JobQueue,
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Executes one order; an order that is done or gone is left alone. */
  async execute(paymentId: string): Promise<void> {
    const order = await this.load(paymentId);
    if (order === null) return;
    const turn = (this.turns.get(order.network) ?? Promise.resolve()).then(() => this.perform(paymentId));
    this.turns.set(
      order.network,
      turn.catch(() => undefined),
    );
    await turn;
  }

  /** Wakes workers for orders whose wake was lost. */
  async wakeOpen(): Promise<void> {
    const rows = await this.database.query<{ id: string }>(
      `select id from sandbox_payment
        where status in ('queued', 'signed') and created_at < now() - interval '2 seconds' order by created_at limit $1`,
      [SWEEP_BATCH],
    );
    this.queue.wakeMany(
      'sandbox.pay',
      rows.map((row) => ({ paymentId: row.id })),
    );
  }

  private async perform(paymentId: string): Promise<void> {
    const order = await this.load(paymentId);
    if (order === null || order.status === 'sent' || order.status === 'failed') return;
    const chain = this.runtime.devChains.find((candidate) => candidate.genesisHash === order.genesis_hash);
    if (chain === undefined) {
      await this.fail(order.id, `No faucet serves the chain ${order.chain_ref} here.`);
      return;
    }
    try {
      const signed = storedTransfer(order) ?? (await this.sign(chain, order));
      if (signed === null) return;
      await broadcastTransfer(chain, signed);
      await this.database.query(`update sandbox_payment set status = 'sent' where id = $1`, [order.id]);
    } catch (error) {
      if (!(error instanceof DevRpcRefusal)) throw error;
      this.logger.warn({ paymentId, err: error }, 'the sandbox payment was refused');
      await this.fail(order.id, error.message);
    }
  }

  /** Signs and stores the bytes; null when another worker was faster with the order or the nonce. */
  private async sign(chain: DevChain, order: OrderRow): Promise<SignedTransfer | null> {
    const payer = chain.sandboxPayer;
    const token = order.token_contract === NATIVE_COIN ? null : order.token;
    const transfer = { to: order.to_address, token, amount: BigInt(order.amount), from: payer };
    const signed = await signTestTransfer(chain, transfer, await nextNonce(chain, payer.address));
    try {
      const stored = await this.database.query(
        `update sandbox_payment set status = 'signed', sender = $2, nonce = $3, raw_transaction = $4, tx_hash = $5
          where id = $1 and status = 'queued' returning id`,
        [order.id, signed.sender, signed.nonce, signed.raw, signed.txHash],
      );
      return stored.length === 0 ? null : signed;
    } catch (error) {
      if (!hasErrorCode(error, UNIQUE_VIOLATION)) throw error;
      await this.sendAgain(chain, order, signed);
      return null;
    }
  }

  /** The chain offers a nonce that we used: it has lost that transaction, and takes it again before the next. */
  private async sendAgain(chain: DevChain, order: OrderRow, { sender, nonce }: SignedTransfer): Promise<void> {
    const [lost] = await this.database.query<{ raw_transaction: string; tx_hash: string }>(
      `select raw_transaction, tx_hash from sandbox_payment where chain_ref = $1 and sender = $2 and nonce = $3`,
      [order.chain_ref, sender, nonce],
    );
    if (lost === undefined) return;
    await broadcastTransfer(chain, { sender, nonce, raw: lost.raw_transaction, txHash: lost.tx_hash });
  }

  private async fail(id: string, failure: string): Promise<void> {
    await this.database.query(`update sandbox_payment set status = 'failed', failure = $2 where id = $1`, [
      id,
      failure,
    ]);
  }

  private async load(id: string): Promise<OrderRow | null> {
    const [row] = await this.database.query<OrderRow>(
      `select payment.id, payment.chain_ref, chain.genesis_hash, chain.network, token.symbol as token,
              payment.token_contract, payment.to_address, payment.amount, payment.status, payment.sender, payment.nonce,
              payment.raw_transaction, payment.tx_hash
         from sandbox_payment payment join chain on chain.id = payment.chain_ref
         join chain_token token on token.chain_ref = payment.chain_ref and token.contract = payment.token_contract
        where payment.id = $1`,
      [id],
    );
    return row ?? null;
  }
}

function storedTransfer(order: OrderRow): SignedTransfer | null {
  const { sender, nonce, raw_transaction: raw, tx_hash: txHash } = order;
  if (sender === null || nonce === null || raw === null || txHash === null) return null;
  return { sender, nonce: Number(nonce), raw, txHash };
}
