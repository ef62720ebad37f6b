/**
 * A self-signed certificate for localhost with its key, valid until 2125. The key is public, so it protects
 * nothing.
 */
export const localhostCertificate = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBozCCAUmgAwIBAgIUY/Ol952TWvRTnoQCeP5kvuXp/B4wCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNU3RlcHdpc2UgdGVzdDAgFw0yNjExMjcwNDE2MjZaGA8yMTI1
MDYyMTA0MTYyNlowGDEWMBQGA1UEAwwNU3RlcHdpc2UgdGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABGuz7Bsn98LkJMcRvNCZEJpiEFiKtRAH/5Kz/KdlDdLR
/d2L8KcMCwwuwk5Omw2VLB1PyLabOGI9cff3qlY0tvqjbzBtMB0GA1UdDgQWBBTH
eoGmygcmlYKc8fQ1vrPwdfk6/zAfBgNVHSMEGDAWgBTHeoGmygcmlYKc8fQ1vrPw
dfk6/zAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAA
ATAKBggqhkjOPQQDAgNIADBFAiAdyQZNt6onjKEee+EEcfsvhPdHh1w7nAEMpJJu
pl/wsAIhANaGUsmF+9qYxnOhK2zMBiRvFaJShFtepKCsZrRZKgqH
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgY/qseQw2wDLeFar2
lqiPGFBMU61Z/e9u3m1MYh2jwp2hRANCAARrs+wbJ/fC5CTHEbzQmRCaYhBYirUQ
B/+Ss/ynZQ3S0f3di/CnDAsMLsJOTpsNlSwdT8i2mzhiPXH396pWNLb6
-----END PRIVATE KEY-----
`,
};
