/**
 * What tells the service where its database is. It works as its own role, as everywhere; a build of before there was one
 * works as the owner.
 */
export function databaseSettings(addresses: {
  readonly url: string;
  readonly serviceUrl?: string;
}): Readonly<Record<string, string>> {
  const { url, serviceUrl } = addresses;
  return serviceUrl === undefined ? { DATABASE_URL: url } : { DATABASE_URL: serviceUrl, MIGRATION_DATABASE_URL: url };
}
