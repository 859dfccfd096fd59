import {
  InstructionErrorCustom,
  TransactionErrorDuplicateInstruction,
  TransactionErrorInstructionError,
  type FailedTransactionMetadata,
} from 'litesvm/dist/internal.js';
import { INSTRUCTION_ERRORS, TRANSACTION_ERRORS } from './error-names.js';

/** An error of an instruction, as nodes write it. */
type InstructionErrorJson = string | { readonly Custom: number };

/** An error of a transaction, as nodes write it. */
export type TransactionErrorJson =
  | string
  | { readonly InstructionError: readonly [number, InstructionErrorJson] }
  | { readonly DuplicateInstruction: number }
  | { readonly InsufficientFundsForRent: { readonly account_index: number } }
  | { readonly ProgramExecutionTemporarilyRestricted: { readonly account_index: number } };

type SvmError = ReturnType<FailedTransactionMetadata['err']>;

/** Translates an error of the virtual machine. */
export function errorJson(error: SvmError): TransactionErrorJson {
  if (typeof error === 'number') return nameOf(TRANSACTION_ERRORS, error);
  if (error instanceof TransactionErrorInstructionError) {
    return { InstructionError: [error.index, instructionErrorJson(error.err())] };
  }
  if (error instanceof TransactionErrorDuplicateInstruction) return { DuplicateInstruction: error.index };
  const { accountIndex } = error;
  return error.constructor.name.includes('Rent')
    ? { InsufficientFundsForRent: { account_index: accountIndex } }
    : { ProgramExecutionTemporarilyRestricted: { account_index: accountIndex } };
}

/** Returns the text of an error, as nodes write it in messages (`Display` of Agave's `TransactionError`). */
export function errorText(error: TransactionErrorJson): string {
  if (typeof error === 'string') return textOf(TRANSACTION_ERRORS, error);
  if ('InstructionError' in error) {
    const [index, cause] = error.InstructionError;
    const reason =
      typeof cause === 'string'
        ? textOf(INSTRUCTION_ERRORS, cause)
        : `custom program error: 0x${cause.Custom.toString(16)}`;
    return `Error processing Instruction ${index}: ${reason}`;
  }
  if ('DuplicateInstruction' in error) {
    return `Transaction contains a duplicate instruction (${error.DuplicateInstruction}) that is not allowed`;
  }
  if ('InsufficientFundsForRent' in error) {
    const { account_index: index } = error.InsufficientFundsForRent;
    return `Transaction results in an account (${index}) with insufficient funds for rent`;
  }
  const { account_index: index } = error.ProgramExecutionTemporarilyRestricted;
  return `Execution of the program referenced by account at index ${index} is temporarily restricted.`;
}

function instructionErrorJson(error: ReturnType<TransactionErrorInstructionError['err']>): InstructionErrorJson {
  if (typeof error === 'number') return nameOf(INSTRUCTION_ERRORS, error);
  return error instanceof InstructionErrorCustom ? { Custom: error.code } : 'BorshIoError';
}

function nameOf(names: readonly (readonly [string, string])[], index: number): string {
  const name = names[index]?.[0];
  if (name === undefined) throw new Error(`The virtual machine returned the unknown error ${index}.`);
  return name;
}

const textOf = (names: readonly (readonly [string, string])[], name: string): string =>
  names.find(([known]) => known === name)?.[1] ?? name;
