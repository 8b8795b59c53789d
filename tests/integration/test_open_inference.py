# SPDX-License-Identifier: Apache-2.0
"""The Open Inference Protocol from outside: tritonclient, unmodified, over REST and gRPC."""

import asyncio
import queue

import pytest

from conftest import CLIENTS, HOME, Server, model_flags

np = pytest.importorskip("numpy", reason=f"no foreign clients in {CLIENTS}: scripts/setup --for test")
http = pytest.importorskip("tritonclient.http", reason=f"no tritonclient in {CLIENTS}: scripts/setup --for test")
grpc = pytest.importorskip("tritonclient.grpc", reason=f"no tritonclient in {CLIENTS}: scripts/setup --for test")

MODEL = "ssdlite-mobilenet-v2-coco"  # the one that every set-up has


@pytest.fixture(scope="module")
def server():
    running = Server("--model", MODEL, *model_flags())
    yield running
    code, _ = running.stop()
    assert code == 0


@pytest.fixture(scope="module", params=["http", "grpc"])
def client(server, request):
    """The client's module and a client of it."""
    if request.param == "http":
        return http, http.InferenceServerClient(f"127.0.0.1:{server.port}")
    return grpc, grpc.InferenceServerClient(f"127.0.0.1:{server.grpc_port}")



def an_input(kind, metadata, values):
    tensor = kind.InferInput(metadata[0], list(values.shape), metadata[1])
    tensor.set_data_from_numpy(values)
    return tensor


@pytest.fixture(scope="module")
def tensors(server):
    """Name, type and shape of the input, and the names of the outputs."""
    metadata = http.InferenceServerClient(f"127.0.0.1:{server.port}").get_model_metadata(MODEL)
    first = metadata["inputs"][0]
    return (first["name"], first["datatype"], [1 if dim < 0 else dim for dim in first["shape"]]), [
        output["name"] for output in metadata["outputs"]
    ]


@pytest.fixture(scope="module")
def values(tensors):
    name, datatype, shape = tensors[0]
    generator = np.random.default_rng(7)
    return generator.random(shape, dtype=np.float32) if datatype == "FP32" else generator.integers(0, 255, shape, dtype=np.uint8)


def test_health_and_descriptions(client):
    kind, asked = client
    assert asked.is_server_live() and asked.is_server_ready() and asked.is_model_ready(MODEL)
    assert not asked.is_model_ready("none") if kind is http else True
    if kind is http:
        assert asked.get_server_metadata()["name"] == "waystone"
        assert asked.get_model_config(MODEL)["name"] == MODEL
        assert asked.get_model_repository_index() == [{"name": MODEL, "version": "1", "state": "READY"}]
    else:
        assert asked.get_server_metadata().name == "waystone"
        assert asked.get_model_config(MODEL).config.name == MODEL
        assert [(entry.name, entry.state) for entry in asked.get_model_repository_index().models] == [(MODEL, "READY")]


def test_both_protocols_answer_the_same(server, tensors, values):
    answers = []
    for kind, port in ((http, server.port), (grpc, server.grpc_port)):
        asked = kind.InferenceServerClient(f"127.0.0.1:{port}")
        result = asked.infer(MODEL, [an_input(kind, tensors[0], values)], request_id="7")
        answers.append([result.as_numpy(name) for name in tensors[1]])
    for over_http, over_grpc in zip(*answers):
        np.testing.assert_array_equal(over_http, over_grpc)


def test_json_binary_and_compressed_bodies_are_one(server, tensors, values):
    asked = http.InferenceServerClient(f"127.0.0.1:{server.port}")
    outputs = [http.InferRequestedOutput(name, binary_data=False) for name in tensors[1]]
    in_json = http.InferInput(tensors[0][0], list(values.shape), tensors[0][1])
    in_json.set_data_from_numpy(values, binary_data=False)
    binary = an_input(http, tensors[0], values)
    reference = asked.infer(MODEL, [binary])
    for result in (
        asked.infer(MODEL, [in_json], outputs=outputs),
        asked.infer(MODEL, [in_json]),
        asked.infer(MODEL, [binary], outputs=outputs),
        asked.infer(MODEL, [binary], request_compression_algorithm="gzip", response_compression_algorithm="deflate"),
        asked.infer(MODEL, [binary], request_compression_algorithm="deflate", response_compression_algorithm="gzip"),
    ):
        for name in tensors[1]:
            np.testing.assert_allclose(result.as_numpy(name), reference.as_numpy(name), rtol=1e-6)


def test_an_encoded_picture_is_an_input(client, tensors):
    kind, asked = client
    picture = (HOME / "samples/coffee.png").read_bytes()
    tensor = kind.InferInput(tensors[0][0], [1], "BYTES")
    tensor.set_data_from_numpy(np.array([picture], dtype=np.object_))
    result = asked.infer(MODEL, [tensor])
    assert all(result.as_numpy(name) is not None for name in tensors[1])
    broken = kind.InferInput(tensors[0][0], [1], "BYTES")
    broken.set_data_from_numpy(np.array([b"no picture"], dtype=np.object_))
    with pytest.raises(Exception, match="(?i)picture|type"):
        asked.infer(MODEL, [broken])


def test_classification_comes_as_text(client, tensors, values):
    kind, asked = client
    wanted = kind.InferRequestedOutput(tensors[1][0], class_count=2)
    classes = asked.infer(MODEL, [an_input(kind, tensors[0], values)], outputs=[wanted]).as_numpy(tensors[1][0])
    assert all(text.count(b":") >= 1 for text in classes.flatten())


def test_errors_have_a_text_and_the_next_request_is_served(client, tensors, values):
    kind, asked = client
    with pytest.raises(Exception, match="no model 'none'"):
        asked.infer("none", [an_input(kind, tensors[0], values)])
    with pytest.raises(Exception, match="the model has no input 'wrong'"):
        asked.infer(MODEL, [an_input(kind, ("wrong", *tensors[0][1:]), values)])
    with pytest.raises(Exception, match="no model control"):
        asked.load_model("none")
    with pytest.raises(Exception, match="shared memory"):
        asked.register_system_shared_memory("region", "/key", 64)
    assert asked.infer(MODEL, [an_input(kind, tensors[0], values)]).as_numpy(tensors[1][0]) is not None


def test_a_deadline_that_cannot_be_met_is_refused(server, tensors, values):
    asked = http.InferenceServerClient(f"127.0.0.1:{server.port}")
    with pytest.raises(Exception, match="deadline"):
        asked.infer(MODEL, [an_input(http, tensors[0], values)], timeout=1)
    called = grpc.InferenceServerClient(f"127.0.0.1:{server.grpc_port}")
    with pytest.raises(Exception, match="(?i)deadline"):
        called.infer(MODEL, [an_input(grpc, tensors[0], values)], client_timeout=0.000001)


def test_many_asynchronous_requests_get_their_own_answers(server, tensors, values):
    inputs = [values, values[:, ::-1].copy(), np.zeros_like(values)]
    asked = http.InferenceServerClient(f"127.0.0.1:{server.port}", concurrency=4)
    alone = [asked.infer(MODEL, [an_input(http, tensors[0], value)]).as_numpy(tensors[1][0]) for value in inputs]
    pending = [(i % 3, asked.async_infer(MODEL, [an_input(http, tensors[0], inputs[i % 3])])) for i in range(12)]
    for which, request in pending:
        np.testing.assert_allclose(request.get_result().as_numpy(tensors[1][0]), alone[which], rtol=1e-4, atol=1e-5)


def test_a_stream_answers_in_order_and_survives_an_error(server, tensors, values):
    answers = queue.Queue()
    with grpc.InferenceServerClient(f"127.0.0.1:{server.grpc_port}") as called:
        called.start_stream(lambda result, error: answers.put((result, error)))
        for number in range(4):
            called.async_stream_infer("none" if number == 2 else MODEL, [an_input(grpc, tensors[0], values)],
                                      request_id=str(number))
        got = [answers.get(timeout=60) for _ in range(4)]
        called.stop_stream()
    assert [result.get_response().id for result, error in got if error is None] == ["0", "1", "3"]
    assert "no model 'none'" in str(got[2][1])


def test_the_asyncio_client(server, tensors, values):
    aio = pytest.importorskip("tritonclient.grpc.aio")

    async def ask():
        async with aio.InferenceServerClient(f"127.0.0.1:{server.grpc_port}") as called:
            results = await asyncio.gather(*(called.infer(MODEL, [an_input(aio, tensors[0], values)]) for _ in range(4)))
            return [result.as_numpy(tensors[1][0]) for result in results]

    answers = asyncio.run(ask())
    for answer in answers[1:]:
        np.testing.assert_allclose(answer, answers[0], rtol=1e-4, atol=1e-5)


def test_statistics_count_every_answer(client, tensors, values):
    kind, asked = client

    def successes():
        statistics = asked.get_inference_statistics(MODEL)
        if kind is http:
            return statistics["model_stats"][0]["inference_stats"]["success"]["count"]
        return statistics.model_stats[0].inference_stats.success.count

    before = successes()
    for _ in range(3):
        asked.infer(MODEL, [an_input(kind, tensors[0], values)])
    assert successes() == before + 3
