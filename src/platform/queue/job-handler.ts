import { SetMetadata } from '@nestjs/common';
import type { JobName, Jobs } from './jobs.js';

export const JOB_HANDLER = 'coffer:job-handler';

/** Declares that this method handles the job of this name, in the processes that serve its queue. */
export function JobHandler<N extends JobName>(name: N) {
  return SetMetadata(JOB_HANDLER, name) as <Method extends (data: Jobs[N]) => Promise<unknown>>(
    target: object,
    name: string,
    method: TypedPropertyDescriptor<Method>,
  ) => void;
}
