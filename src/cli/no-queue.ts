/** A command has no queue: the workers' sweeps find what it committed within seconds. */
export const noQueue = { wake: (): void => undefined };
