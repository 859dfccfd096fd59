import { Alert } from '@mantine/core';
import { useSyncExternalStore } from 'react';

function subscribe(onChange: () => void): () => void {
  window.addEventListener('online', onChange);
  window.addEventListener('offline', onChange);
  return () => {
    window.removeEventListener('online', onChange);
    window.removeEventListener('offline', onChange);
  };
}

/** Says that what is on the page may be old. Requests wait, and go out when the network is back. */
export function OfflineBanner() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status">
      {!isOnline && (
        <Alert color="yellow" variant="light" mb="md" title="You are offline" role="presentation">
          The page shows what was loaded before. It goes on by itself when the network is back.
        </Alert>
      )}
    </div>
  );
}
