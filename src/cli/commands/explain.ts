import { types } from 'node:util';
import { CommandFailure } from '../command.js';

const LINES_MAX = 3;
const DEFECTS = ['TypeError', 'ReferenceError'];

/**
 * Describes a failure: its message, then the messages of its causes. Of the service's own errors the message is enough;
 * of a defect the stack is printed.
 */
export function explain(error: unknown): string[] {
  if (!types.isNativeError(error)) return [String(error)];
  if (DEFECTS.includes(error.name)) return [error.stack ?? error.message];
  const isOpen = error instanceof CommandFailure || error.name === 'Error';
  return isOpen ? messages(error).slice(0, LINES_MAX) : [error.message];
}

/** Returns the messages of an error and its causes, without those that another one contains. */
function messages({ message, cause }: Error): string[] {
  const deeper = types.isNativeError(cause) ? messages(cause) : [];
  return [message, ...deeper.filter((text) => text !== '' && !message.includes(text))];
}
