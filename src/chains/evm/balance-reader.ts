import { type BlockRef, ChainUnavailable, NodeBusy } from '../chain.js';
import { BATCH_MAX, type JsonRpc } from '../rpc/json-rpc.js';
import { readQuantity } from './rpc-values.js';

/**
 * Init code that returns the balances of the addresses appended to it. A call without `to` runs it as the constructor of
 * a contract that is never deployed, so no contract is needed on the chain. Offsets on the right are hexadecimal.
 */
const READER = [
  '6037', //   00  PUSH1 37        i: the offset of the next address; the first one follows this code
  '6000', //   02  PUSH1 00        o: where the next balance goes
  '5b', //     04  JUMPDEST        next address; the stack is i, o
  '8138', //   05  DUP2 CODESIZE
  '1115', //   07  GT ISZERO       is i past the last address?
  '602e57', // 09  PUSH1 2e JUMPI  then return
  '60148282', // 0c  PUSH1 14 DUP3 DUP3
  '600c0139', // 10  PUSH1 0c ADD CODECOPY   memory[o + 12, o + 32) = code[i, i + 20)
  '805131', // 14  DUP1 MLOAD BALANCE        of the low 20 bytes of the word at o; the high 12 are ignored
  '8060781c', // 17  DUP1 PUSH1 78 SHR       does the balance take more than 120 bits?
  '603257', // 1b  PUSH1 32 JUMPI  then fail: no coin has so many units, and the first byte of the answer stays 00
  '60801b', // 1e  PUSH1 80 SHL
  '8152', //   21  DUP2 MSTORE     memory[o, o + 16) = balance
  '601001', // 23  PUSH1 10 ADD    o += 16
  '9060140190', // 26  SWAP1 PUSH1 14 ADD SWAP1   i += 20
  '600456', // 2b  PUSH1 04 JUMP
  '5b6000f3', // 2e  JUMPDEST PUSH1 00 RETURN    memory[0, o)
  '5b600080fd', // 32  JUMPDEST PUSH1 00 DUP1 REVERT
].join('');
const BYTES_OF_BALANCE = 16;
/**
 * Two limits of every chain bind: init code of 49,152 bytes (EIP-3860), and a constructor's answer of 24,576 bytes that
 * does not begin with EF (EIP-170, EIP-3541). 1,000 addresses are 20,055 bytes in and 16,000 out, and cost 6.1 M gas.
 */
const ADDRESSES_PER_CALL_MAX = 1_000;
/** Balances of fewer addresses are read one by one, in one batch. */
const ADDRESSES_PER_CALL_MIN = 10;
/** After this many failed calls in a row whose balances it could return one by one, a node is not called for a while. */
const FAILURES_MAX = 3;
const REFUSED_FOR_MS = 600_000;

/**
 * Reads balances of the chain's own coin at a block: many in one `eth_call`, or one by one when there are few or the node
 * does not support the call. The results are the same.
 */
export class BalanceReader {
  private failures = 0;
  private refusedUntilMs = -Infinity;

  constructor(
    private readonly rpc: Pick<JsonRpc, 'batch' | 'call'>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** The addresses that one request currently covers. */
  get addressesPerRequest(): number {
    return this.nowMs() < this.refusedUntilMs ? BATCH_MAX : ADDRESSES_PER_CALL_MAX;
  }

  /**
   * Returns the balance of each address after the block in smallest units, in the given order. Throws `ChainUnavailable`
   * when the node does not have the block or its state.
   */
  async read(block: BlockRef, addresses: readonly string[]): Promise<readonly bigint[]> {
    const balances: bigint[] = [];
    while (balances.length < addresses.length) {
      const next = addresses.slice(balances.length, balances.length + ADDRESSES_PER_CALL_MAX);
      balances.push(...(await this.readSome(block, next)));
    }
    return balances;
  }

  private async readSome(block: BlockRef, addresses: readonly string[]): Promise<readonly bigint[]> {
    if (addresses.length < ADDRESSES_PER_CALL_MIN || this.addressesPerRequest < ADDRESSES_PER_CALL_MAX) {
      return readOneByOne(this.rpc, block, addresses);
    }
    try {
      const balances = await readByCall(this.rpc, block, addresses);
      this.failures = 0;
      return balances;
    } catch (error) {
      if (!(error instanceof ChainUnavailable) || error instanceof NodeBusy) throw error;
    }
    // When this fails too, the node does not have the block, and the call was not the reason.
    const balances = await readOneByOne(this.rpc, block, addresses);
    this.failures++;
    if (this.failures >= FAILURES_MAX) this.refusedUntilMs = this.nowMs() + REFUSED_FOR_MS;
    return balances;
  }
}

/** By hash (EIP-1898): with a height, a node could answer for a block that replaced ours. */
const at = ({ hash }: BlockRef): object => ({ blockHash: hash });

async function readOneByOne(
  rpc: Pick<JsonRpc, 'batch'>,
  block: BlockRef,
  addresses: readonly string[],
): Promise<readonly bigint[]> {
  const answers = await rpc.batch(
    addresses.map((address) => ({ method: 'eth_getBalance', params: [address, at(block)] })),
  );
  return answers.map((answer) => readQuantity(answer, 'balance'));
}

async function readByCall(
  rpc: Pick<JsonRpc, 'call'>,
  block: BlockRef,
  addresses: readonly string[],
): Promise<readonly bigint[]> {
  const data = `0x${READER}${addresses.map((address) => address.slice(2)).join('')}`;
  const answer = await rpc.call('eth_call', [{ data }, at(block)]);
  const digits = BYTES_OF_BALANCE * 2;
  if (typeof answer !== 'string' || !/^0x[0-9a-f]*$/i.test(answer) || answer.length !== 2 + addresses.length * digits) {
    throw new ChainUnavailable(`The node answered a call for ${addresses.length} balances with something else.`);
  }
  return addresses.map((_, index) => BigInt(`0x${answer.slice(2 + index * digits, 2 + (index + 1) * digits)}`));
}
