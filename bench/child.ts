import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A part of the bench in a process of its own. */
export interface Child {
  /** Its next message. */
  next<Message>(): Promise<Message>;
  send(message: object): void;
  end(): Promise<void>;
}

/** Starts `file`, which stands beside this one. */
export function startChild(file: string, ...args: string[]): Child {
  const child: ChildProcess = fork(join(import.meta.dirname, file), args);
  return {
    next: async <Message>() => {
      const [message]: Message[] = await once(child, 'message');
      if (message === undefined) throw new Error(`${file} said nothing.`);
      return message;
    },
    send: (message) => void child.send(message),
    end: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}
