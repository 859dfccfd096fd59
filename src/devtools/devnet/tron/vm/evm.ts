import { createHash } from 'node:crypto';
import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, EVMError, paramsEVM, type EVM, type EVMResult, type Log, type Message } from '@ethereumjs/evm';
import { createAddressFromString, createZeroAddress, type Address } from '@ethereumjs/util';
import { addressOfEvm, evmBytesOf } from '../address.js';
import type { ChainState } from '../chain/chain-state.js';
import type { InternalTransaction, TransactionLog } from './call-trace.js';
import type { ContractResult } from '../wire/tron-messages.js';
import { EvmState } from './evm-state.js';

/** Energy of the opcodes whose price Tron never raised. Source: EnergyCost. */
const TRON_ENERGY = {
  608: {
    sloadGas: 50,
    callGas: 40,
    extcodesizeGas: 20,
    extcodecopyGas: 20,
    balanceGas: 20,
    delegatecallGas: 40,
    callcodeGas: 40,
  },
  607: { expByteGas: 10 },
  609: { staticcallGas: 40 },
  1013: { extcodehashGas: 400 },
} as const;
/** PUSH0, MCOPY and transient storage, on rules from before Ethereum repriced its storage. */
const TRON_EIPS = [1716, 3855, 5656, 1153];

const { errorMessages } = EVMError;
const RESULTS: Readonly<Record<string, ContractResult>> = {
  [errorMessages.REVERT]: 'REVERT',
  [errorMessages.OUT_OF_GAS]: 'OUT_OF_ENERGY',
  [errorMessages.CODESTORE_OUT_OF_GAS]: 'OUT_OF_ENERGY',
  [errorMessages.INVALID_JUMP]: 'BAD_JUMP_DESTINATION',
  [errorMessages.INVALID_OPCODE]: 'ILLEGAL_OPERATION',
  [errorMessages.STATIC_STATE_CHANGE]: 'ILLEGAL_OPERATION',
  [errorMessages.STACK_UNDERFLOW]: 'STACK_TOO_SMALL',
  [errorMessages.STACK_OVERFLOW]: 'STACK_TOO_LARGE',
  [errorMessages.INSUFFICIENT_BALANCE]: 'TRANSFER_FAILED',
};

/** A call to a contract. */
export interface EvmCall {
  readonly state: ChainState;
  /** Names the internal transactions. */
  readonly id: string;
  readonly caller: string;
  readonly contract: string;
  readonly data: Uint8Array;
  /** Sun. */
  readonly value: bigint;
  readonly energyLimit: bigint;
  readonly place: EvmPlace;
}

/** What contracts see of their block, and the time that accounts which they create get. */
export interface EvmPlace {
  readonly number: number;
  readonly time: number;
  readonly headTime: number;
}

/** What came of a call; after a failure the state is as before. */
export interface EvmOutcome {
  readonly result: ContractResult;
  /** Without a penalty. */
  readonly energyUsed: bigint;
  readonly output: Uint8Array;
  readonly logs: readonly TransactionLog[];
  readonly internal: readonly InternalTransaction[];
}

interface Frame {
  readonly message: Message;
  isRejected: boolean;
}

/** A real EVM on the state of this chain. Calls must not overlap. */
export class Evm {
  private frames: Frame[] = [];
  private readonly open: Frame[] = [];

  private readonly evm: EVM;
  private readonly evmState: EvmState;

  private constructor(evm: EVM, evmState: EvmState) {
    this.evm = evm;
    this.evmState = evmState;
    evm.events?.on('beforeMessage', (message) => this.enter(message));
    evm.events?.on('afterMessage', (result) => this.leave(result));
  }

  static async create(): Promise<Evm> {
    const chain = { ...Mainnet, customHardforks: { [Hardfork.Petersburg]: { eips: TRON_EIPS } } };
    const common = new Common({ chain, hardfork: Hardfork.Petersburg, params: paramsEVM });
    common.updateParams(TRON_ENERGY);
    const state = new EvmState();
    return new Evm(await createEVM({ common, stateManager: state }), state);
  }

  /** Runs a contract. Changes remain in the state unless it fails. */
  async call({ state, id, caller, contract, data, value, energyLimit, place }: EvmCall): Promise<EvmOutcome> {
    this.begin(state, place);
    const { execResult } = await this.evm.runCall({
      caller: evmAddress(caller),
      origin: evmAddress(caller),
      to: evmAddress(contract),
      data,
      value,
      gasLimit: energyLimit,
      skipNonceIncrement: true,
      block: blockOf(place),
    });
    const error = execResult.exceptionError?.error;
    return {
      result: error === undefined ? 'SUCCESS' : (RESULTS[error] ?? 'UNKNOWN'),
      energyUsed: execResult.executionGasUsed,
      output: execResult.returnValue,
      logs: (execResult.logs ?? []).map(logOf),
      internal: this.frames.map((frame, index) => internalOf(id, frame, index, error !== undefined)),
    };
  }

  /** Creates a contract and returns its address key. */
  async deploy(state: ChainState, caller: string, code: Uint8Array, place: EvmPlace): Promise<string> {
    this.begin(state, place);
    const { createdAddress, execResult } = await this.evm.runCall({
      caller: evmAddress(caller),
      data: code,
      gasLimit: BigInt(Number.MAX_SAFE_INTEGER),
      block: blockOf(place),
    });
    if (createdAddress === undefined || execResult.exceptionError !== undefined) {
      throw new Error(`A contract was not created: ${execResult.exceptionError?.error}.`);
    }
    return addressOfEvm(createdAddress.bytes);
  }

  private begin(state: ChainState, place: EvmPlace): void {
    this.evmState.workOn(state, place.headTime);
    this.evm.journal.cleanJournal();
    this.evm.transientStorage.clear();
    this.frames = [];
    this.open.length = 0;
  }

  private enter(message: Message): void {
    const frame = { message, isRejected: false };
    this.open.push(frame);
    // The outermost call is the transaction itself.
    if (message.depth > 0) this.frames.push(frame);
  }

  /** A failed call takes all calls within it back. */
  private leave({ execResult }: EVMResult): void {
    const frame = this.open.pop();
    if (frame === undefined || execResult.exceptionError === undefined) return;
    const from = this.frames.indexOf(frame);
    for (const inner of this.frames.slice(Math.max(from, 0))) inner.isRejected = true;
  }
}

const evmAddress = (key: string): Address =>
  createAddressFromString(`0x${Buffer.from(evmBytesOf(key)).toString('hex')}`);

function blockOf({ number, time }: EvmPlace): Parameters<EVM['runCall']>[0]['block'] {
  return {
    header: {
      number: BigInt(number),
      timestamp: BigInt(Math.floor(time / 1_000)),
      coinbase: createZeroAddress(),
      difficulty: 0n,
      prevRandao: new Uint8Array(32),
      gasLimit: BigInt(Number.MAX_SAFE_INTEGER),
      getBlobGasPrice: () => undefined,
    },
  };
}

function logOf([address, topics, data]: Log): TransactionLog {
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  return { address: hex(address), topics: topics.map(hex), data: hex(data) };
}

function internalOf(
  id: string,
  { message, isRejected }: Frame,
  index: number,
  hasFailed: boolean,
): InternalTransaction {
  const { caller, to, value, delegatecall, isCreate } = message;
  return {
    hash: createHash('sha256').update(`${id}:${index}`).digest('hex'),
    caller: addressOfEvm(caller.bytes),
    to: to === undefined ? '' : addressOfEvm(to.bytes),
    value: delegatecall ? 0n : value,
    note: isCreate === true ? 'create' : 'call',
    isRejected: isRejected || hasFailed,
  };
}
