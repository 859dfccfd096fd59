/** Stops the PostgreSQL of the run and waits until it is gone. */
export default async function tearDown() {
  await globalThis.stopTestPostgres();
}
