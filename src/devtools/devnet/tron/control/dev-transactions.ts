import { addressBytes, parseAddress } from '../address.js';
import { invalid } from '../chain/refusal.js';
import type { TronNode } from '../chain/tron-node.js';
import { signedTransaction } from '../signed-transaction.js';
import { tronDevAccount } from '../tron-dev-accounts.js';
import type { DevRole } from '../../dev-mnemonic.js';

const LIFETIME_MS = 60_000;

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
    const account = tronDevAccount(role);
    const { blocks, head } = this.node.chain;
    const signed = signedTransaction({
      account,
      owner: keyOf(account.address),
      type,
      fields,
      reference: blocks.idOf(head),
      timestamp: this.ownTimestamp(),
      expiration: blocks.timeOf(head) + LIFETIME_MS,
    });
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
