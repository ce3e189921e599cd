-- A store of schema version 1, as lapcast 0.1.0 wrote it. Never changed: store_test.cc opens it.
PRAGMA application_id = 1818325091;
PRAGMA user_version = 1;
CREATE TABLE runs (
  seq INTEGER PRIMARY KEY,         -- in the order in which they were stored
  id TEXT NOT NULL UNIQUE,
  sweep TEXT NOT NULL,             -- sweeps.id; '' = a single probe
  kind TEXT NOT NULL,              -- 'probe', 'full', 'find-epochs'
  machine_type TEXT NOT NULL,
  settings TEXT NOT NULL,          -- 'batch=128 lr=0.1'
  program TEXT NOT NULL,           -- one line, placeholders filled
  started_at TEXT NOT NULL,        -- UTC, ISO 8601
  outcome TEXT NOT NULL,           -- one line
  has_laps INTEGER NOT NULL,
  wall_s REAL NOT NULL,
  usd_per_hour TEXT,               -- exact decimal; NULL = no price given
  lapcast_version TEXT NOT NULL,
  record_bytes INTEGER NOT NULL,   -- of the JSON line
  record BLOB NOT NULL             -- the whole run: its JSON line, or that line in zlib format
);
CREATE TABLE sweeps (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL,               -- fingerprint of fleet, program, plan and settings
  created_at TEXT NOT NULL,
  fleet_file TEXT NOT NULL,
  description TEXT NOT NULL,       -- JSON
  finished INTEGER NOT NULL
);
CREATE INDEX sweeps_by_key ON sweeps (key);
INSERT INTO runs VALUES (1, '3fb09c61d2aa', '77e1', 'probe', 'half', 'batch=128', './train --batch 128 --out {run_dir}/model', '2026-11-20T12:00:00Z', 'enough: steady lap known to 1.4 %', 1, 3.2, '0.0425', '0.1.0', 1798, CAST('{"format":"lapcast-run","version":1,"id":"3fb09c61d2aa","sweep":"77e1","kind":"probe","program":["./train","--batch","{batch}","--out","{run_dir}/model"],"settings":{"batch":"128"},"working_dir":"/home/ann/digits","machine_type":{"name":"half","cpus":[0,1],"cpu_quota":0.5,"environment":{"OMP_NUM_THREADS":"1"}},"price":{"name":"half","provider":"","service":"","machine_type":"half","region":"","accelerator":"","accelerator_count":0,"usd_per_hour":"0.0425","terms":{"kind":"owned","purchase_usd":"25000","years":3.0,"utilisation":0.5,"power_kw":0.25,"usd_per_kwh":"0.31","running_cost_usd_per_year":"0"},"billing_step_ns":0,"billing_minimum_ns":0,"boot_ns":0,"as_of":"2026-11-20","source":"fleet.toml"},"offer":"c5.large","plan":{"epochs":12,"steps":0,"training_samples":60000,"validation_samples":10000},"start":"cold","started_at":"2026-11-20T12:00:00Z","lapcast_version":"0.1.0","machine":{"host":"box","os":"Debian GNU/Linux 12 (bookworm), Linux 6.1.0","cpu_model":"Xeon","architecture":"x86_64","isa":"AVX2","hypervisor":"","sockets":1,"cores":2,"threads":4,"allowed_cpus":[0,1,2,3],"max_clock_ghz":2.6,"l3_cache_bytes":0,"memory_bytes":8000000000,"available_memory_bytes":0,"cgroup_version":2,"quota_settable":true,"cpu_limit":1.5,"memory_limit_bytes":4000000000,"accelerators":[{"vendor":"nvidia","model":"T4","driver":"550.54","memory_bytes":16000000000,"cores":"40 SMs"}],"missing":["no performance counters"]},"outcome":{"kind":"enough","rule":"steady lap known to 1.4 %"},"started_ns":1000000000,"ended_ns":4200000000,"stop_sent_ns":4100000000,"usage":{"user_s":5.25,"system_s":0.1,"peak_rss_bytes":123456789,"minor_faults":42},"lap_logs":["not\na lap log\n"],"standard_output":"café \"quoted\" \u001b[1m\n","standard_error":{"base64":"/w=="},"warnings":["resumed from a checkpoint"]}' AS BLOB));
INSERT INTO runs VALUES (2, 'b00000000001', '', 'full', 'half', 'batch=128', './train --batch 128 --out {run_dir}/model', '2026-11-20T12:00:00Z', 'crashed with signal 9 (SIGKILL)', 0, 3.2, '0.0425', '0.1.0', 1786, X'78016D55DB6EE33610FD15814F2DE0D89262BB5903FBB0C016ED43B32DBAD962D12420686A6C11A64895A4E2B8863FA8DFD11FEB19DA4A36408D0011479CDB99734647B1F1A15349AC8455BD56315D85C1898978A2108D7762554D8469F07A5DBEFC2ABC8F7BA21E663CEE8CE30B9BC15A9CFAE0B7417562752FA6B31494E16857576B95748BA7637E38659B1F125B905036269C669D6FC88A4704A7948CDB46B13A8AB3E34A54F58D384DC4DE07E4DBB20372CE5ADFD14C39376BCCD6A488709DD2AD7124D3A127F677AAC37FD12ABBC15BDD0F887A5F4E2AA4C141FE35F8A4C4AA9C2E2682DC9309DE75E480C751FC7AFB9BFCF4E556DEFDFCFB8F1F3E7E46904A9C50421F8CFE9FD068FCC934C4652151A4F094AFF1E16D4D632D81B61961BEA1B4264B41257FF1FFC620B51FB8A2722286D8C89E826CFDC0F7CA6939AF17704F14BA8CD665167EEFA881BD1F826E55240947DCAF179821CC075201D7AFA71C32196BA24AB9940C43EFF748B1DB332A35601993EEF66DCE79CDF3C7D01CCF41FB98387A2E8BE3F2151ED4DA58CB1762A25E3A6443AED1D61967BAA17B317B9FC66715A5DF70A965BDBCAAAAAB9AEB8D689721171B4B94A6C9779653F8CD26C3AD1753ABC296B861ABC0D9A3A0DEEB1649AB1ADEA8E09C3FD33117A5BADE128C4B2635D8AEAC693206328EAF2A7E852C31A9C0FAD0DE32A4F9488DCC9A79ADF2AEAA576589BF3F71E72225F922224CAA9A7227172670892D9043D8B57F86DDA316F191D646B9E2A74F5F66BF18373C17555D7CB7F67E07D277DF4F8AB3717909C5EC3D2B6625BE12A40A1661DA26914E4360B49E6F967239871DF3C5F1C31F5F6B1C5A0803DC8C23D3A2D73B827458E9DA074605A0A536906AF03C47586B418946BE8A67524FAE1FB99B67A92DFCE5B6FD1B6ED3257ABF961A1224B93E248E05743BEA7C388C861BC635FF10F94919ABD696E4DB3B70D2DBE087FE1542D494B52A7939B08B58A530D059C5D674066056ACE24BA46C1A73CEC79408FC8DB250DEFD11ABCE35190CC8BF310A108DB0DE31784D309823F05B2C200FB6BCADB5CA1CBA34740150CCCBE2F36D142706C9C408CEF14274BE00F679E33A4D45D635F6AC7864320F49639931332E22D641C536CB989E4D829054E2E58516A2D93A65C5EADD484F0C872596297BA9044D5DACF37AEC9ED9EB7B20E8CE7A9BBF38B0CA151484EC03569744B045167F3C403E1D9F4161E88BD44E86184760ABFA7ABE58FE70F38EFB743EC88D1A2C93695EA336E8405ACF7B9C7B4F0F4E153015303DB8BCE793728D0A8D44F33D3E061099DAFCFB4FF190474DCD83281E86B2ACD6F755078F2CBEB30385C023E3CF4324701C9F82FDFBF7F903A1022FA69C13641E3A6A8A4DF05DA10AB052EF7A6FB04C1F4FFF01E34D3B80');
INSERT INTO sweeps VALUES (1, '77e1', 'k1', '2026-11-20T11:59:59Z', 'fleet.toml', '[]', 1);
