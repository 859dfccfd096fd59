/**
 * Returns the database settings of the service. It uses its own role, as everywhere; a build from before that role existed
 * uses the owner.
 */
export function databaseSettings(addresses: {
  readonly url: string;
  readonly serviceUrl?: string;
}): Readonly<Record<string, string>> {
  const { url, serviceUrl } = addresses;
  return serviceUrl === undefined ? { DATABASE_URL: url } : { DATABASE_URL: serviceUrl, MIGRATION_DATABASE_URL: url };
}
