import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A part of the bench in a separate process. */
export interface Child {
  /** Returns its next message. @throws Error when it ends before. */
  next<Message>(): Promise<Message>;
  send(message: object): void;
  end(): Promise<void>;
}

/** Starts `file` of this directory. */
export function startChild(file: string, ...args: string[]): Child {
  const child: ChildProcess = fork(join(import.meta.dirname, file), args);
  const exited = once(child, 'exit');
  return {
    next: async <Message>() => {
      const [message]: Message[] = await Promise.race([once(child, 'message'), exited.then(() => [])]);
      if (message === undefined) throw new Error(`${file} said nothing.`);
      return message;
    },
    send: (message) => void child.send(message),
    end: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
