import { createHash } from 'node:crypto';
import { pointFromScalar, signRecoverable } from 'tiny-secp256k1';
import { addressBytes, addressOfPublicKey } from '../../src/devtools/devnet/tron/address.js';
import { SUN_PER_TRX, type TronAccount } from '../../src/devtools/devnet/tron/chain/account.js';
import type { Outcome } from '../../src/devtools/devnet/tron/chain/execution.js';
import { accountLeft } from '../../src/devtools/devnet/tron/chain/resource-usage.js';
import type { DevRole } from '../../src/devtools/devnet/dev-mnemonic.js';
import { TronChain, type MadeBlock } from '../../src/devtools/devnet/tron/chain/tron-chain.js';
import {
  rawDataOf,
  transactionOf,
  type TronTransaction,
} from '../../src/devtools/devnet/tron/chain/tron-transaction.js';
import { tronDevAccount } from '../../src/devtools/devnet/tron/tron-dev-accounts.js';
import { callData } from '../../src/devtools/devnet/tron/vm/call-data.js';
import type { ContractName } from '../../src/devtools/devnet/tron/vm/contract-artifact.js';
import { ProtoMessage, type ProtoValue } from '../../src/devtools/devnet/tron/wire/proto-message.js';
import { contractSchema } from '../../src/devtools/devnet/tron/wire/tron-messages.js';

const GENESIS_TIME = Date.UTC(2026, 0, 1);
const INTERVAL_MS = 3_000;
const LIFETIME_MS = 60_000;
const FEE_LIMIT = 1_000_000_000n;

/** Someone with a key. */
export interface LabKey {
  /** Address key. */
  readonly address: string;
  readonly privateKey: Uint8Array;
}

/** What a test may say about a transaction. */
export interface LabFields {
  readonly raw?: Readonly<Record<string, ProtoValue>>;
  readonly permissionId?: bigint;
  readonly signer?: LabKey;
  readonly signatures?: (id: string) => Uint8Array[];
}

/** The tron chain in the process of the test, without its journal, its clock and HTTP. */
export class TronLab {
  readonly faucet = this.devKey('faucet');
  private timestamps = 0;

  private constructor(readonly chain: TronChain) {}

  static async create(solidityDistance = 19): Promise<TronLab> {
    const seed = '07'.repeat(32);
    return new TronLab(await TronChain.create({ seed, time: GENESIS_TIME, intervalMs: INTERVAL_MS, solidityDistance }));
  }

  devKey(role: DevRole): LabKey {
    return labKeyOf(Buffer.from(tronDevAccount(role).privateKey, 'hex'));
  }

  /** A key that the chain has never seen. */
  stranger(name: string): LabKey {
    return labKeyOf(createHash('sha256').update(name).digest());
  }

  /** A key whose account exists and has these sun. */
  async funded(name: string, sun: bigint): Promise<LabKey> {
    const key = this.stranger(name);
    await this.pay(this.faucet, key, sun);
    await this.block();
    return key;
  }

  /** Makes a signed transaction; its reference is the head. */
  transaction(
    owner: LabKey,
    type: string,
    fields: Readonly<Record<string, ProtoValue>>,
    { raw = {}, permissionId = 0n, signer = owner, signatures }: LabFields = {},
  ): TronTransaction {
    const { blocks, head } = this.chain;
    const id = blocks.idOf(head);
    const body = ProtoMessage.of(contractSchema(type) ?? {}, { owner_address: addressBytes(owner.address), ...fields });
    this.timestamps += 1;
    const rawData = rawDataOf(type, body, permissionId, {
      ref_block_bytes: Buffer.from(id.slice(12, 16), 'hex'),
      ref_block_hash: Buffer.from(id.slice(16, 32), 'hex'),
      expiration: BigInt(blocks.timeOf(head) + LIFETIME_MS),
      timestamp: BigInt(blocks.timeOf(head) + this.timestamps),
      fee_limit: type === 'TriggerSmartContract' ? FEE_LIMIT : 0n,
      ...raw,
    });
    const unsigned = transactionOf(rawData, []);
    return transactionOf(rawData, signatures?.(unsigned.id) ?? [labSignature(unsigned.id, signer, 0)]);
  }

  /** Sends a transaction and returns its id. */
  async send(...made: Parameters<TronLab['transaction']>): Promise<string> {
    const transaction = this.transaction(...made);
    await this.chain.accept(transaction);
    return transaction.id;
  }

  async pay(from: LabKey, to: LabKey | string, sun: bigint, fields?: LabFields): Promise<string> {
    const address = typeof to === 'string' ? to : to.address;
    return this.send(from, 'TransferContract', { to_address: addressBytes(address), amount: sun }, fields);
  }

  /** Calls a contract of the genesis block. */
  async call(
    from: LabKey,
    contract: ContractName,
    [signature, ...values]: [string, ...(string | bigint)[]],
    fields?: LabFields & { readonly value?: bigint },
  ): Promise<string> {
    return this.send(
      from,
      'TriggerSmartContract',
      {
        contract_address: addressBytes(this.chain.contracts[contract]),
        data: callData(signature, ...values),
        call_value: fields?.value ?? 0n,
      },
      fields,
    );
  }

  /** Makes the next block, `slots` slots after the head. */
  async block(slots = 1): Promise<MadeBlock> {
    return this.chain.makeBlock(this.chain.blocks.timeOf(this.chain.head) + slots * INTERVAL_MS);
  }

  /** Executes a transaction in a block of its own and returns what came of it. */
  async outcome(id: Promise<string>): Promise<Outcome> {
    const sent = await id;
    const found = (await this.block()).transactions.find(({ transaction }) => transaction.id === sent);
    if (found === undefined) throw new Error(`${sent} is not in its block.`);
    return found.outcome;
  }

  /** Reads a word of a contract. */
  async read(contract: ContractName, signature: string, ...values: (string | bigint)[]): Promise<bigint> {
    const { output } = await this.chain.evm.call({
      state: this.chain.fullState.child(),
      id: 'read',
      caller: this.faucet.address,
      contract: this.chain.contracts[contract],
      data: callData(signature, ...values),
      value: 0n,
      energyLimit: 10_000_000n,
      place: this.chain.nextPlace,
    });
    return BigInt(`0x${Buffer.from(output).toString('hex') || '0'}`);
  }

  account(key: LabKey | string): TronAccount {
    const account = this.chain.fullState.accounts.get(typeof key === 'string' ? key : key.address);
    if (account === null) throw new Error('The account does not exist.');
    return account;
  }

  /** The staked and acquired energy that an account has not used. */
  energyLeft(key: LabKey): bigint {
    const { fullState: state, settings, nextPlace } = this.chain;
    return accountLeft(state, settings.parameters, 'ENERGY', this.account(key), nextPlace.slot);
  }

  get time(): number {
    return this.chain.blocks.timeOf(this.chain.head);
  }
}

/** TRX in sun. */
export const trx = (amount: number): bigint => BigInt(amount) * SUN_PER_TRX;

/** A signature of an id, with the recovery id from 0 or from 27. */
export function labSignature(id: string, { privateKey }: LabKey, offset: 0 | 27): Uint8Array {
  const { signature, recoveryId } = signRecoverable(Buffer.from(id, 'hex'), privateKey);
  return Buffer.concat([signature, Buffer.of(recoveryId + offset)]);
}

function labKeyOf(privateKey: Uint8Array): LabKey {
  const point = pointFromScalar(privateKey, false);
  if (point === null) throw new Error('The key is invalid.');
  return { address: addressOfPublicKey(point), privateKey };
}
