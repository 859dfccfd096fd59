import { fork } from 'node:child_process';
import { once } from 'node:events';

const CHILD = new URL('own-process-child.mjs', import.meta.url);

/** Jest's `testRunner` for files that need their own process. */
export default async function runAlone(globalConfig, config, _environment, _runtime, path) {
  const child = fork(CHILD, { serialization: 'advanced' });
  child.send({ globalConfig, config, path });
  const [answer] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof answer !== 'object' || answer === null) throw new Error(`The process of ${path} ended with ${answer}.`);
  if ('error' in answer) throw answer.error;
  return answer.result;
}
