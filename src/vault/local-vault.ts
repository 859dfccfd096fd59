import { Worker } from 'node:worker_threads';
import type { AddressFamily, Environment, Network } from '../domain/network.js';
import type {
  SignedEvmAuthorization,
  SignedEvmTransaction,
  UnsignedEvmTransaction,
} from '../chains/evm/evm-transaction.js';
import type { SignedBytes, UnsignedTransaction } from '../chains/expiring-transaction.js';
import { entryPointBeside } from '../platform/source-imports.js';
import type { VaultAnswer, VaultQuestion, VaultReply, VaultRequest } from './vault-request.js';
import {
  type DelegationTerms,
  type DepositAuthority,
  type DerivedAddress,
  type SigningKey,
  type ExpiringSigner,
  type Vault,
  VaultError,
} from './vault.js';
import type { WorkerStart } from './vault.worker.js';

type AnswerOf<T extends VaultAnswer['type']> = Extract<VaultAnswer, { type: T }>;

function isAnswer<T extends VaultAnswer['type']>(type: T, answer: VaultAnswer): answer is AnswerOf<T> {
  return answer.type === type;
}

function startWorker(start: WorkerStart): Worker {
  const { url, flags } = entryPointBeside(import.meta.url, 'vault.worker');
  return new Worker(url, {
    name: 'vault',
    workerData: start,
    ...(flags.length > 0 && { execArgv: [...flags] }),
  });
}

/**
 * The vault of this machine: an encrypted file that a worker thread opens, derives from and signs with. This thread has
 * the passphrase (from configuration) but never a seed, and is not blocked meanwhile.
 */
export class LocalVault implements Vault {
  private readonly opening = Promise.withResolvers<void>();
  private readonly exited = Promise.withResolvers<void>();
  private readonly pending = new Map<number, PromiseWithResolvers<VaultAnswer>>();
  private lastId = 0;
  private stopped: VaultError | null = null;

  private constructor(
    private readonly worker: Worker,
    private readonly path: string,
  ) {
    worker.on('message', (reply: VaultReply) => this.receive(reply));
    worker.once('error', (cause) => this.stop(cause));
    worker.once('exit', () => {
      this.stop();
      this.exited.resolve();
    });
  }

  /** Opens the file, which takes about a second on purpose. Rejects with the `VaultError` of `openVaultFile`. */
  static async open(path: string, passphrase: string): Promise<LocalVault> {
    const vault = new LocalVault(startWorker({ path, passphrase }), path);
    await vault.opening.promise;
    return vault;
  }

  async deriveAddresses(
    environment: Environment,
    family: AddressFamily,
    from: number,
    count: number,
  ): Promise<readonly DerivedAddress[]> {
    const { addresses } = await this.ask('derived', { type: 'derive', environment, family, from, count });
    return addresses;
  }

  async hotWallet(environment: Environment, network: Network): Promise<DerivedAddress> {
    const { addresses } = await this.ask('derived', { type: 'hot_wallet', environment, network });
    const [address] = addresses;
    if (!address) throw new Error('The vault derived nothing.');
    return address;
  }

  async signEvm(
    environment: Environment,
    key: SigningKey,
    transaction: UnsignedEvmTransaction,
  ): Promise<SignedEvmTransaction> {
    const signed = await this.ask('signed', { type: 'sign_evm', environment, key, transaction });
    return signed.transaction;
  }

  async authorizeEvm(
    environment: Environment,
    terms: DelegationTerms,
    deposits: readonly DepositAuthority[],
  ): Promise<readonly SignedEvmAuthorization[]> {
    const signed = await this.ask('authorized', { type: 'authorize_evm', environment, terms, deposits });
    return signed.authorizations;
  }

  async signExpiring(
    environment: Environment,
    signers: readonly ExpiringSigner[],
    unsigned: UnsignedTransaction,
  ): Promise<SignedBytes> {
    const signed = await this.ask('signed_expiring', { type: 'sign_expiring', environment, signers, unsigned });
    return signed.transaction;
  }

  close(): Promise<void> {
    if (!this.stopped) {
      this.stopped = new VaultError('stopped', this.path);
      this.send({ type: 'close' });
    }
    return this.exited.promise;
  }

  private async ask<T extends VaultAnswer['type']>(type: T, question: VaultQuestion): Promise<AnswerOf<T>> {
    if (this.stopped) throw this.stopped;
    const id = this.send(question);
    const asked = Promise.withResolvers<VaultAnswer>();
    this.pending.set(id, asked);
    const answer = await asked.promise;
    if (!isAnswer(type, answer)) throw new Error(`The vault answered with ${answer.type} where ${type} was asked for.`);
    return answer;
  }

  private send(question: VaultQuestion): number {
    const request: VaultRequest = { id: ++this.lastId, question };
    this.worker.postMessage(request, []);
    return request.id;
  }

  private receive(reply: VaultReply): void {
    if (reply.type === 'opened') return this.opening.resolve();
    if (reply.type === 'refused') return this.opening.reject(new VaultError(reply.reason, this.path));
    if (reply.id === null) return;
    const asked = this.pending.get(reply.id);
    this.pending.delete(reply.id);
    if (reply.type === 'answered') asked?.resolve(reply.answer);
    else asked?.reject(reply.error);
  }

  /** The thread has ended, orderly or not: pending callers are rejected. */
  private stop(cause?: unknown): void {
    const error = (this.stopped ??= new VaultError('stopped', this.path, { cause }));
    this.opening.reject(error);
    for (const asked of this.pending.values()) asked.reject(error);
    this.pending.clear();
  }
}
