"""Runs the parsers of vLLM, SGLang and LangChain on the cases of native formats and prints a table.

compare-parsers.py FOLDER CONFORMANCE COMMAND…: FOLDER has the unzipped wheels, COMMAND runs this project's parser.
Modules that are in no wheel (servers, tokenizers, GPU code) are replaced by stand-ins, so only the parsers themselves run.
"""

import importlib
import importlib.abc
import importlib.machinery
import json
import subprocess
import sys
import types
from collections import Counter

folder, conformance, *command = sys.argv[1:]


STAND_INS = {"vllm", "sglang", "torch", "transformers", "xgrammar", "mistral_common", "openai_harmony", "fastapi", "llguidance"}


class StandInType(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn

    def __or__(cls, _other):
        return cls

    __ror__ = __or__


class StandIn(metaclass=StandInType):
    """Takes any arguments and keeps those with a name as attributes."""

    def __init__(self, *_values, **fields):
        self.__dict__.update(fields)

    def __getattr__(self, name):
        if name.startswith("__") or name in ("structural_tag_model", "skip_special_tokens"):
            raise AttributeError(name)
        return StandIn

    def __class_getitem__(cls, _key):
        return cls

    def __call__(self, *_values, **_fields):
        return self


class Record(StandIn):
    """An object of a server's protocol: fields that were not given are None."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def model_dump(self, **_options):
        return {name: value.model_dump() if isinstance(value, Record) else value for name, value in vars(self).items()}


class StandInModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, _path=None, _target=None):
        if name.split(".")[0] not in STAND_INS:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__path__ = []
        made = {}

        def member(name):
            if name.startswith("__"):
                raise AttributeError(name)
            return made.setdefault(name, type(name, (Record if "protocol" in spec.name else StandIn,), {}))

        module.__getattr__ = member
        return module

    def exec_module(self, _module):
        pass


sys.path[:0] = [f"{folder}/modules", f"{folder}/vllm", f"{folder}/sglang"]


def settings():
    """Sets what vLLM's parsers ask of the server: a time limit for patterns, and that the tokenizer is no Mistral one."""
    envs = types.ModuleType("vllm.envs")
    envs.VLLM_TOOL_PARSE_REGEX_TIMEOUT_SECONDS = 1
    envs.VLLM_ENFORCE_STRICT_TOOL_CALLING = False
    mistral = types.ModuleType("vllm.utils.mistral")
    mistral.is_mistral_tokenizer = lambda _: False
    mistral.is_mistral_tool_parser = lambda _: False
    sys.modules.update({"vllm.envs": envs, "vllm.utils.mistral": mistral})


class Vocabulary(dict):
    """Every text is a token, as the special tokens of a family are in its own vocabulary."""

    def __contains__(self, _token):
        return True

    def __missing__(self, token):
        self[token] = len(self) + 1
        return self[token]

    def get(self, token, _default=None):
        return self[token]


class Tokenizer:
    eos_token_id = 0
    all_special_tokens = ()

    def __init__(self):
        self.vocabulary = Vocabulary()

    def get_vocab(self):
        return self.vocabulary

    def convert_tokens_to_ids(self, token):
        return self.vocabulary[token]

    def encode(self, text, **_options):
        return [self.vocabulary[text]]

    def decode(self, _ids, **_options):
        return ""


def to_tools(tools, module, tool_class):
    """Builds tools of the server's own class, since its parsers ask for it."""
    protocol = importlib.import_module(module)
    kind = getattr(protocol, tool_class)

    def made(each):
        schema = each.get("input_schema") or {"type": "object", "properties": {name: {} for name in each["parameters"]}}
        fields = {"name": each["name"], "description": "", "parameters": schema, "strict": False}
        return kind(type="function", function=protocol.FunctionDefinition(**fields))

    return [made(each) for each in tools]


def with_vllm(name):
    parsers = importlib.import_module("vllm.tool_parsers")
    parser = parsers.ToolParserManager.get_tool_parser(name)

    def read(text, tools):
        offered = to_tools(tools, "vllm.entrypoints.openai.chat_completion.protocol", "ChatCompletionToolsParam")
        request = types.SimpleNamespace(tools=offered, tool_choice="auto", skip_special_tokens=False, include_reasoning=True, structured_outputs=None, response_format=None, chat_template_kwargs={}, messages=[], model="m")
        found = parser(Tokenizer(), offered).extract_tool_calls(text, request)
        calls = found.tool_calls if found.tools_called else []
        return [(each.function.name, json.loads(each.function.arguments or "{}")) for each in calls]

    return read


def with_sglang(name):
    parser = importlib.import_module("sglang.srt.function_call.function_call_parser").FunctionCallParser

    def read(text, tools):
        _, calls = parser(to_tools(tools, "sglang.srt.entrypoints.openai.protocol", "Tool"), name).parse_non_stream(text)
        return [(each.name, json.loads(each.parameters or "{}")) for each in calls]

    return read


def with_langchain(name):
    parser = getattr(importlib.import_module("langchain_classic.agents.output_parsers"), name)()

    def read(text, _tools):
        found = parser.parse(text)
        steps = found if isinstance(found, list) else [found]
        return [(each.tool, each.tool_input) for each in steps if hasattr(each, "tool")]

    return read


# The setting with which each server reads a family, and the setting it would take from its documentation.
VLLM = {
    "hermes": "hermes", "longcat": "longcat", "granite-20b": "granite-20b-fc", "internlm2": "internlm", "inkling": "inkling", "gigachat3": "gigachat3", "gigachat3-fc": "gigachat3",
    "k2-horizon-json": "k2_horizon", "k2-horizon": "k2_horizon", "k2-horizon-typed": "k2_horizon", "llama3-python-tag": "llama3_json", "llama3-json": "llama3_json", "jamba": "jamba",
    "granite3": "granite", "granite3.1": "granite", "lfm2": "lfm2", "mistral-v3": "mistral", "mistral-v11": "mistral", "mistral-v13": "mistral", "mistral-call-id": "mistral",
    "functools": "phi4_mini_json", "command-r7b": "cohere_command3", "apertus": "apertus", "deepseek-v3": "deepseek_v3", "deepseek-v3.1": "deepseek_v31", "deepseek-v3.2": "deepseek_v32",
    "deepseek-v3.2-json": "deepseek_v32", "deepseek-v4": "deepseek_v4", "deepseek-v4.1": "deepseek_v41", "kimi-k2": "kimi_k2", "kimi-k2-bare": "kimi_k2", "kimi-k3": "kimi_k3",
    "gpt-oss": "openai", "gpt-oss-role": "openai", "gpt-oss-stripped": "openai", "plamo3": "plamo3", "qwen3-coder": "qwen3_coder", "mimo": "mimo", "seed-oss": "seed_oss",
    "minimax-m2": "minimax_m2", "minimax-m3": "minimax_m3", "dots": "dots", "muse": "muse", "step3": "step3", "minicpm5": "minicpm5", "minicpm5-cdata": "minicpm5", "glm-4.5": "glm45",
    "glm-4.7": "glm47", "hunyuan-v3": "hy_v3", "hunyuan-v4": "hy_v4", "llama4": "llama4_pythonic", "olmo3": "olmo3", "pythonic": "pythonic", "gemma4": "gemma4",
    "functiongemma": "functiongemma", "xlam": "xlam", "xlam-fence": "xlam",
}
SGLANG = {
    "hermes": "hermes", "internlm2": "interns1", "intern-s1": "interns1", "inkling": "inkling", "gigachat3": "gigachat3", "gigachat3-fc": "gigachat3", "gigachat3.5": "gigachat35", "k2-horizon-json": "k2_horizon",
    "k2-horizon": "k2_horizon", "k2-horizon-typed": "k2_horizon", "llama3-python-tag": "llama3", "llama3-json": "llama3", "lfm2": "lfm2", "mistral-v3": "mistral", "mistral-v11": "mistral",
    "mistral-v13": "mistral", "mistral-call-id": "mistral", "command-r7b": "cohere_command4", "apertus": "apertus2509", "deepseek-v3": "deepseekv3", "deepseek-v3.1": "deepseekv31",
    "deepseek-v3.2": "deepseekv32", "deepseek-v3.2-json": "deepseekv32", "deepseek-v4": "deepseekv4", "deepseek-v4.1": "deepseekv41", "kimi-k2": "kimi_k2", "kimi-k2-bare": "kimi_k2",
    "kimi-k3": "kimi_k3", "gpt-oss": "gpt-oss", "gpt-oss-role": "gpt-oss", "gpt-oss-stripped": "gpt-oss", "qwen3-coder": "qwen3_coder", "mimo": "mimo", "minimax-m2": "minimax-m2",
    "minimax-m3": "minimax-m3", "dots": "dots", "muse": "muse", "step3": "step3", "minicpm5": "minicpm5", "minicpm5-cdata": "minicpm5", "glm-4.5": "glm45", "glm-4.7": "glm47",
    "hunyuan-v3": "hunyuan", "iquest-q1": "iquest_q1", "llama4": "pythonic", "pythonic": "pythonic", "gemma4": "gemma4",
}
LANGCHAIN = ["ReActSingleInputOutputParser", "ReActJsonSingleInputOutputParser", "JSONAgentOutputParser", "XMLAgentOutputParser"]

sets = json.load(open(f"{conformance}/tools.json"))
cases = [json.loads(line) for line in open(f"{conformance}/cases/native-formats.jsonl")]


def offered(case):
    return sets[case["tools"]] if isinstance(case["tools"], str) else case["tools"]


def wanted(expected):
    if expected["outcome"] != "action":
        return []
    first = (expected["tool_name"], expected["tool_args"])
    return [first, *((each["tool_name"], each["tool_args"]) for each in expected.get("additional") or [])]


not_run = []


def score(reader_of, label=None):
    """Counts calls read right, negatives on which the parser acted, and exceptions; returns them with the number of families.

    A family of which a server's parser reads nothing is left out and named: perhaps it only lacks a part of its server here.
    """
    by_family = {}
    for case in cases:
        reader = reader_of(case["family"])
        if reader is None:
            continue
        counts = by_family.setdefault(case["family"], Counter())
        try:
            found = [tuple(each) for each in reader(case["text"], offered(case))]
        except Exception:  # A parser that throws has read nothing.
            counts["raised"] += 1
            found = []
        expected = wanted(case["expected"])
        names = {each["name"] for each in offered(case)}
        if expected:
            counts["calls"] += 1
            counts["right"] += found == expected
        else:
            counts["none"] += 1
            counts["acted"] += any(name in names for name, _ in found)
    unread = {family for family, counts in by_family.items() if counts["right"] == 0 and label}
    if unread:
        not_run.append(f"{label}: reads nothing of {', '.join(sorted(unread))}")
    counted = [counts for family, counts in by_family.items() if family not in unread]
    return sum(counted, Counter()), len(counted)


def reader_table(table, make, label):
    readers = {}
    for family, name in table.items():
        try:
            readers[family] = make(name)
        except Exception as error:
            not_run.append(f"{label}: `{name}` ({type(error).__name__}: {error})")
    return readers


def stepwise():
    replies = [{**{k: v for k, v in each.items() if k != "expected"}, "tools": offered(each)} for each in cases]
    lines = "\n".join(json.dumps(each) for each in replies)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    outcomes = {(each := json.loads(line))["id"]: each for line in done}
    texts = {(each["text"], json.dumps(offered(each))): outcomes[each["id"]] for each in cases}
    return lambda text, tools: wanted(texts[(text, json.dumps(tools))])


own = stepwise()
langchain = {name: with_langchain(name) for name in LANGCHAIN}
sys.meta_path.append(StandInModules())
settings()
vllm = reader_table(VLLM, with_vllm, "vLLM")
sglang = reader_table(SGLANG, with_sglang, "SGLang")
rows = [
    ("Stepwise", "none", *score(lambda _: own)),
    ("vLLM", "the parser of the family", *score(vllm.get, "vLLM")),
    ("SGLang", "the parser of the family", *score(sglang.get, "SGLang")),
    *((f"LangChain `{name}`", "none", *score(lambda _, each=each: each)) for name, each in langchain.items()),
]
print("| parser | setting | families | calls read right | acted where nothing may run | exceptions |")
print("| --- | --- | --- | --- | --- | --- |")
for name, setting, counts, families in rows:
    right, acted = f"{counts['right']}/{counts['calls']}", f"{counts['acted']}/{counts['none']}"
    print(f"| {name} | {setting} | {families} of 80 | {right} | {acted} | {counts['raised']} |")
for each in not_run:
    print(f"could not be run: {each}")
