import { constantCallShape, parsed } from './answer-shapes.js';
import { hashOfKey, hexOfKey } from './tron-address.js';
import type { TronHttp, TronInterface } from './tron-http.js';

/** A call of a contract that is only executed by the node. */
export interface ConstantCall {
  /** Key of the caller; the zero address if none is stated. */
  readonly owner?: string;
  /** Key of the contract. */
  readonly contract: string;
  /** Such as `balanceOf(address)`. */
  readonly selector: string;
  /** Its arguments. */
  readonly words: readonly string[];
}

/** What came of it. `refused`: the node executed nothing, or the machine failed in another way than by a revert. */
export type CallOutcome =
  | { readonly kind: 'returned'; readonly word: bigint | null; readonly energy: bigint }
  | { readonly kind: 'reverted' }
  | { readonly kind: 'no_contract' }
  | { readonly kind: 'refused'; readonly code: string };

const ZERO_ADDRESS = `41${'0'.repeat(40)}`;
const NO_CONTRACT = 'CONTRACT_VALIDATE_ERROR';
const FAILED = 'FAILED';
const WORD = /^[0-9a-f]{64}$/;
const WORD_DIGITS = 64;

/** The word of an address, by its key. */
export const addressWord = (key: string): string => hashOfKey(key).padStart(WORD_DIGITS, '0');

/** The word of a number. */
export const numberWord = (value: bigint): string => value.toString(16).padStart(WORD_DIGITS, '0');

/** Calls a contract on the state of an interface, and keeps nothing of it. Data of more than a word is not read. */
export async function constantCall(
  http: Pick<TronHttp, 'ask'>,
  of: TronInterface,
  { owner, contract, selector, words }: ConstantCall,
): Promise<CallOutcome> {
  const answer = await http.ask(of, 'triggerconstantcontract', {
    owner_address: owner === undefined ? ZERO_ADDRESS : hexOfKey(owner),
    contract_address: hexOfKey(contract),
    function_selector: selector,
    parameter: words.join(''),
  });
  const { result, constant_result: returned, energy_used, transaction } = parsed(constantCallShape, answer, 'call');
  if (result.code === NO_CONTRACT) return { kind: 'no_contract' };
  if (result.result !== true) return { kind: 'refused', code: result.code ?? 'no reason' };
  if (transaction?.ret.some(({ ret }) => ret === FAILED)) return { kind: 'reverted' };
  const [word = ''] = returned ?? [];
  return { kind: 'returned', word: WORD.test(word) ? BigInt(`0x${word}`) : null, energy: BigInt(energy_used) };
}
