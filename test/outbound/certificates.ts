/** A self-signed certificate with its key: test values for receivers on this machine, trusted nowhere else. */
export interface Certificate {
  cert: string;
  key: string;
}

/** For the name receiver.test, from 2020 to 2120. */
export const VALID_CERTIFICATE: Certificate = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBYDCCAQegAwIBAgIUPP1lujO3yhLMNkc6DEfJtsrbCrAwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIw
MDEwMTAwMDAwMFowGDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABBa9M4uiPq9l6cjPMDnOqmGhC8QCpJ7s2etKXndln3l4
xnw/OOV5XBopqHMx/ViAo1oq5sOAJNUt2QZ6i9LudYajLTArMBgGA1UdEQQRMA+C
DXJlY2VpdmVyLnRlc3QwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBE
AiB+MB1l+DO4AFHr0GGMgcfSImwm8cpEFL+fAEYs2o5WlAIgVKj75f0YsyItriuR
SIcPI+g+pCOMf/58Im4SyHmwhf4=
-----END CERTIFICATE-----`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgntIm2NwcLlhznswe
w63eS6eDSpIuVwaeLBdmufKmJKuhRANCAAQWvTOLoj6vZenIzzA5zqphoQvEAqSe
7NnrSl53ZZ95eMZ8PzjleVwaKahzMf1YgKNaKubDgCTVLdkGeovS7nWG
-----END PRIVATE KEY-----`,
};

/** For the name receiver.test, expired in 2021. */
export const EXPIRED_CERTIFICATE: Certificate = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBXzCCAQWgAwIBAgIUZOoUHCpLXAvqgaQJG7d3zBDsLbkwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDAeFw0yMDAxMDEwMDAwMDBaFw0yMTAx
MDEwMDAwMDBaMBgxFjAUBgNVBAMMDXJlY2VpdmVyLnRlc3QwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAAQJzAqTwGNB348lEARcPPzc+n6ykx3VjezTEDsJGzkBus7X
xnth4I7dMowTIXsMcWCm/g2Ra+vlZdi1+zESRDdgoy0wKzAYBgNVHREEETAPgg1y
ZWNlaXZlci50ZXN0MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIg
WHJYYXOdwHz9w0NUb+UyUUe6Et/+lpcmA58+vxL+dYoCIQDOqIIorZoJMNvF7WGR
h9ISoGjtBomQzldsz/qjL2cC7w==
-----END CERTIFICATE-----`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglZdATISPCfLFlBpq
loA76wcWIjoIiM3EDPm2Jcwk2o6hRANCAAQJzAqTwGNB348lEARcPPzc+n6ykx3V
jezTEDsJGzkBus7Xxnth4I7dMowTIXsMcWCm/g2Ra+vlZdi1+zESRDdg
-----END PRIVATE KEY-----`,
};
