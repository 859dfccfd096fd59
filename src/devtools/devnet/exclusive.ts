/** Runs asynchronous work one after another: the state of a chain belongs to one at a time. */
export class Exclusive {
  private last: Promise<unknown> = Promise.resolve();

  async run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.last;
    const done = Promise.withResolvers<void>();
    this.last = done.promise;
    await before;
    try {
      return await work();
    } finally {
      done.resolve();
    }
  }
}
