# SPDX-License-Identifier: Apache-2.0
"""The contracts of proto/ against those that tritonclient carries: every message, field, enum value and call, by number.

The wheel's descriptors are read from its source as data, so its own dependencies are not needed; ours come from protoc.
"""

import ast
import shutil
import subprocess

import pytest

from conftest import HOME, REPOSITORY

CLIENT = HOME / "test-python/tritonclient/grpc"
CONTRACTS = ("proto/model_config.proto", "proto/grpc_service.proto")
descriptor_pb2 = pytest.importorskip("google.protobuf.descriptor_pb2", reason="there is no protobuf for Python: scripts/setup --for test")


def described(files):
    """Everything that counts on the wire, by its full name."""
    found = {}

    def add_enum(scope, enum):
        for value in enum.value:
            found[f"{scope}.{enum.name}.{value.name}"] = value.number

    def add_message(scope, message):
        name = f"{scope}.{message.name}"
        found[name] = "message"
        for field in message.field:
            choice = message.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else None
            found[f"{name}.{field.name}"] = (field.number, field.type, field.label, field.type_name, choice)
        for nested in message.nested_type:
            add_message(name, nested)
        for enum in message.enum_type:
            add_enum(name, enum)

    for file in files:
        for message in file.message_type:
            add_message(file.package, message)
        for enum in file.enum_type:
            add_enum(file.package, enum)
        for service in file.service:
            for call in service.method:
                found[f"{file.package}.{service.name}.{call.name}"] = (
                    call.input_type, call.output_type, call.client_streaming, call.server_streaming)
    return found


def ours(folder):
    output = folder / "ours.protoset"
    subprocess.run(["protoc", f"--proto_path={REPOSITORY}", f"--descriptor_set_out={output}", *CONTRACTS], check=True)
    return descriptor_pb2.FileDescriptorSet.FromString(output.read_bytes()).file


def of_generated_python(path):
    """The descriptor that a generated module hands to protobuf as a literal."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", None) == "AddSerializedFile":
            return descriptor_pb2.FileDescriptorProto.FromString(node.args[0].value)
    raise AssertionError(f"{path} holds no descriptor")


def test_the_contracts_are_those_of_tritonclient(tmp_path):
    if not CLIENT.is_dir():
        pytest.skip(f"tritonclient is missing: {CLIENT} (scripts/setup --for test fetches it)")
    if not shutil.which("protoc"):
        pytest.skip("Debian's protobuf-compiler is missing")
    mine = described(ours(tmp_path))
    theirs = described([of_generated_python(CLIENT / name) for name in ("model_config_pb2.py", "service_pb2.py")])
    differing = {name: (mine.get(name), theirs.get(name)) for name in mine.keys() | theirs.keys()
                 if mine.get(name) != theirs.get(name)}
    assert not differing
    assert len(mine) > 500  # something was compared
