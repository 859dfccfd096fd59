import { Button } from '@mantine/core';
import { DownloadIcon } from '@primer/octicons-react';

interface CsvLinkProps {
  /** The path of the export, such as `/admin/api/sandbox/deliveries.csv`. */
  readonly path: string;
  /** The filters of the list; those that are not set are left out. */
  readonly filters: Readonly<Record<string, string | undefined>>;
}

/** Downloads every row of the current filter, not of the page alone. */
export function CsvLink({ path, filters }: CsvLinkProps) {
  const set = Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const query = new URLSearchParams(set).toString();
  return (
    <Button
      component="a"
      href={query === '' ? path : `${path}?${query}`}
      download
      variant="default"
      size="xs"
      leftSection={<DownloadIcon size={14} aria-hidden />}
    >
      CSV
    </Button>
  );
}
