import { signRecoverable } from 'tiny-secp256k1';
import { addressBytes, parseAddress } from '../address.js';
import { invalid } from '../chain/refusal.js';
import { rawDataOf, transactionOf } from '../chain/tron-transaction.js';
import type { TronNode } from '../chain/tron-node.js';
import { tronDevAccount } from '../tron-dev-accounts.js';
import { ProtoMessage } from '../wire/proto-message.js';
import { contractSchema } from '../wire/tron-messages.js';
import type { DevRole } from '../../dev-mnemonic.js';

const LIFETIME_MS = 60_000;
const FEE_LIMIT = 1_000_000_000n;

/** Signs and sends transactions of the development accounts, like any client of the node. */
export class DevTransactions {
  private lastTimestamp = 0;

  private readonly node: TronNode;

  constructor(node: TronNode) {
    this.node = node;
  }

  /** Sends TRX. Returns the transaction's id. @throws Refusal */
  async transfer(role: DevRole, to: string, amount: bigint): Promise<string> {
    return this.send(role, 'TransferContract', { to_address: addressBytes(to), amount });
  }

  /** Calls a contract. Returns the transaction's id. @throws Refusal */
  async call(role: DevRole, contract: string, data: Uint8Array): Promise<string> {
    return this.send(role, 'TriggerSmartContract', { contract_address: addressBytes(contract), data });
  }

  private async send(
    role: DevRole,
    type: string,
    fields: Readonly<Record<string, Uint8Array | bigint>>,
  ): Promise<string> {
    const { address, privateKey } = tronDevAccount(role);
    const { blocks, head } = this.node.chain;
    const id = blocks.idOf(head);
    const body = ProtoMessage.of(contractSchema(type) ?? {}, {
      owner_address: addressBytes(keyOf(address)),
      ...fields,
    });
    const raw = rawDataOf(type, body, 0n, {
      ref_block_bytes: Buffer.from(id.slice(12, 16), 'hex'),
      ref_block_hash: Buffer.from(id.slice(16, 32), 'hex'),
      expiration: BigInt(blocks.timeOf(head) + LIFETIME_MS),
      timestamp: BigInt(this.ownTimestamp()),
      fee_limit: type === 'TriggerSmartContract' ? FEE_LIMIT : 0n,
    });
    const unsigned = transactionOf(raw, []);
    const { signature, recoveryId } = signRecoverable(Buffer.from(unsigned.id, 'hex'), Buffer.from(privateKey, 'hex'));
    const signed = transactionOf(raw, [Buffer.concat([signature, Buffer.of(recoveryId)])]);
    await this.node.accept(signed);
    return signed.id;
  }

  /** Equal transactions of one millisecond would have the same id. */
  private ownTimestamp(): number {
    this.lastTimestamp = Math.max(this.node.now(), this.lastTimestamp + 1);
    return this.lastTimestamp;
  }
}

/** Returns the key of an address in either form. @throws Refusal */
export function keyOf(text: string): string {
  const key = parseAddress(text);
  if (key === null) throw invalid(`${text} is no address.`);
  return key;
}
