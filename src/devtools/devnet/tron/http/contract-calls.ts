import { keccak_256 } from '@noble/hashes/sha3.js';
import { addressBytes, addressKey, parseAddress } from '../address.js';
import { energyPrice } from '../chain/chain-parameters.js';
import { billOf, failureMessage } from '../chain/contract-call.js';
import { invalid, Refusal } from '../chain/refusal.js';
import type { TronTransaction } from '../chain/tron-transaction.js';
import { abiJson, creationCode, isReadOnly, selectorOf } from '../vm/contract-artifact.js';
import type { EvmOutcome } from '../vm/evm.js';
import { withoutDefaults, type Json, type JsonObject } from '../wire/json.js';
import { bytesJson, hexBytes, JsonParseError, messageFromJson } from '../wire/message-json.js';
import { ProtoMessage } from '../wire/proto-message.js';
import { contractSchema } from '../wire/tron-messages.js';
import { buildTransaction, builtJson } from './build-calls.js';
import { errorText, MissingParameter } from './error-text.js';
import type { NodeView } from './node-view.js';
import type { Handler, Handlers, RequestParams } from './request.js';
import { internalJson, logJson } from './transaction-json.js';

const TYPE = 'TriggerSmartContract';
/** Energy of a call that is not paid for. Source: VMActuator (maxEnergyLimit). */
const CONSTANT_ENERGY_MAX = 100_000_000n;
const FACTOR_UNIT = 10_000n;
const ORIGIN_ENERGY_LIMIT = 10_000_000;

/** Calls of contracts on both interfaces: nothing of them is kept. */
export const CONSTANT_CALLS: Handlers = {
  triggerconstantcontract: answered(async (params, view) => {
    const body = callOf(params);
    const transaction = buildTransaction(TYPE, body, params, view);
    return constantAnswer(transaction, body, params, view);
  }),
  estimateenergy: answered(estimateEnergy),
};

/** Calls of contracts that only a full node answers. */
export const FULL_NODE_CONTRACT_CALLS: Handlers = {
  triggersmartcontract: answered(async (params, view) => {
    const body = callOf(params);
    const contract = addressKey(body.bytes('contract_address'));
    const record = view.state.contracts.get(contract);
    if (record === null) throw invalid('No contract or not a valid smart contract');
    const transaction = buildTransaction(TYPE, body, params, view);
    if (isReadOnly(record.name, body.bytes('data'))) return constantAnswer(transaction, body, params, view);
    return { result: { result: true }, transaction: builtJson(transaction, params.isVisible) };
  }),
  getcontract: (params, view): JsonObject => {
    const address = params.address('value');
    const record = view.state.contracts.get(address);
    const code = view.state.code.get(address);
    if (record === null || code === null) return {};
    return {
      origin_address: bytesJson('address', addressBytes(record.origin), params.isVisible),
      contract_address: bytesJson('address', addressBytes(address), params.isVisible),
      abi: abiJson(record.name),
      bytecode: Buffer.from(creationCode(record.name)).toString('hex'),
      consume_user_resource_percent: 100,
      name: record.name,
      origin_energy_limit: ORIGIN_ENERGY_LIMIT,
      code_hash: Buffer.from(keccak_256(code)).toString('hex'),
    };
  },
};

interface ConstantOutcome extends EvmOutcome {
  readonly energy: bigint;
  readonly penalty: bigint;
}

/** Answers what goes wrong in `result`, as java-tron does for these calls. Source: TriggerConstantContractServlet. */
function answered(work: (params: RequestParams, view: NodeView) => Promise<Json>): Handler {
  return async (params, view) => {
    try {
      return await work(params, view);
    } catch (error) {
      if (error instanceof Refusal) {
        return { result: { code: 'CONTRACT_VALIDATE_ERROR', message: text(error.message, params) } };
      }
      const message = errorText(error);
      if (message === null) throw error;
      return { result: { code: 'OTHER_ERROR', message: text(message, params) } };
    }
  };
}

function callOf(params: RequestParams): ProtoMessage {
  const { members, isVisible } = params;
  for (const name of ['owner_address', 'contract_address']) {
    if (params.text(name) === '') throw new MissingParameter(`${name} isn't set.`);
    if (parseAddress(params.text(name)) === null) throw new JsonParseError(`INVALID address in ${name}`);
  }
  const selector = params.text('function_selector');
  const data =
    selector === '' ? hexBytes(params.text('data')) : hexBytes(selectorOf(selector) + params.text('parameter'));
  const { data: _hex, ...rest } = members;
  const read = messageFromJson(contractSchema(TYPE) ?? {}, rest, isVisible);
  return ProtoMessage.of(read.schema, {
    owner_address: read.bytes('owner_address'),
    contract_address: read.bytes('contract_address'),
    call_value: read.int('call_value'),
    data,
  });
}

async function constantAnswer(
  transaction: TronTransaction,
  body: ProtoMessage,
  params: RequestParams,
  view: NodeView,
): Promise<JsonObject> {
  const { isVisible } = params;
  const outcome = await runConstant(transaction, body, view, CONSTANT_ENERGY_MAX);
  const hasFailed = outcome.result !== 'SUCCESS';
  if (hasFailed && outcome.result !== 'REVERT') {
    const name = outcome.result === 'OUT_OF_ENERGY' ? 'OutOfEnergyException' : 'BytecodeExecutionException';
    const reason = failureMessage(outcome.result, CONSTANT_ENERGY_MAX, outcome.energyUsed);
    const message = `class org.tron.core.vm.program.Program$${name} : ${reason}`;
    return { result: { code: 'OTHER_ERROR', message: text(message, params) } };
  }
  return withoutDefaults({
    result: hasFailed
      ? { result: true, message: text(failureMessage(outcome.result, 0n, 0n), params) }
      : { result: true },
    energy_used: outcome.energy,
    energy_penalty: outcome.penalty,
    constant_result: [Buffer.from(outcome.output).toString('hex')],
    logs: outcome.logs.map((log) => logJson(log, isVisible)),
    internal_transactions: internalJson(outcome, isVisible),
    transaction: { ret: [hasFailed ? { ret: 'FAILED' } : {}], ...builtJson(transaction, isVisible) },
  });
}

/** Searches the smallest energy with which a call succeeds, as java-tron does. Source: Wallet.estimateEnergy. */
async function estimateEnergy(params: RequestParams, view: NodeView): Promise<JsonObject> {
  const { settings } = view.node.chain;
  if (!settings.isEstimateEnergyOn) throw invalid('this node does not support estimate energy');
  const body = callOf(params);
  const transaction = buildTransaction(TYPE, body, params, view);
  const price = energyPrice(settings.parameters);
  const succeeds = async (sun: bigint): Promise<boolean> =>
    (await runConstant(transaction, body, view, sun / price)).result === 'SUCCESS';
  let high = settings.parameters.getMaxFeeLimit;
  const first = await runConstant(transaction, body, view, high / price);
  if (first.result !== 'SUCCESS') {
    return { result: { code: 'CONTRACT_EXE_ERROR', message: text(failureMessage(first.result, 0n, 0n), params) } };
  }
  let low = first.energy * price;
  if (2n * low < high) [low, high] = (await succeeds(2n * low)) ? [low, 2n * low] : [2n * low, high];
  while (low + 1_000_000n < high) {
    const middle = (low + high) / 2n;
    [low, high] = (await succeeds(middle)) ? [low, middle] : [middle, high];
  }
  return { result: { result: true }, energy_required: (high + price - 1n) / price };
}

async function runConstant(
  transaction: TronTransaction,
  body: ProtoMessage,
  view: NodeView,
  limit: bigint,
): Promise<ConstantOutcome> {
  const contract = addressKey(body.bytes('contract_address'));
  const { chain } = view.node;
  return view.node.reading(async () => {
    if (view.state.contracts.get(contract) === null) throw invalid('No contract or not a smart contract');
    const factor = chain.settings.energyFactors[contract] ?? 0n;
    const { number, time, headTime } = chain.nextPlace;
    const outcome = await chain.evm.call({
      // A layer that nobody keeps.
      state: view.state.child(),
      id: transaction.id,
      caller: addressKey(body.bytes('owner_address')),
      contract,
      data: body.bytes('data'),
      value: body.int('call_value'),
      energyLimit: (limit * FACTOR_UNIT) / (FACTOR_UNIT + factor),
      place: { number, time, headTime },
    });
    const { total, penalty } = billOf(outcome.result, outcome.energyUsed, limit, factor);
    return { ...outcome, energy: total, penalty };
  });
}

const text = (message: string, { isVisible }: RequestParams): string =>
  bytesJson('text', Buffer.from(message), isVisible);
