import com.amazonaws.services.dynamodbv2.local.server.LocalDynamoDBRequestHandler;
import com.amazonaws.services.dynamodbv2.local.server.LocalDynamoDBServerHandler;
import java.net.InetSocketAddress;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * DynamoDB Local on a free port of the loopback interface, in memory.
 *
 * <p>Its own ServerRunner has no such choice: it listens on every interface. The port is the first line of the output, and
 * the end of the input is the end of the server, so that it cannot outlive the tests that started it.
 */
final class Loopback {
  public static void main(String[] args) throws Exception {
    var server = new Server(new InetSocketAddress("127.0.0.1", 0));
    boolean inMemory = true;
    boolean shared = true;
    boolean delayed = false;
    var requests = new LocalDynamoDBRequestHandler(0, inMemory, null, shared, delayed);
    server.setHandler(new LocalDynamoDBServerHandler(requests, null));
    server.start();
    System.out.println(((ServerConnector) server.getConnectors()[0]).getLocalPort());
    while (System.in.read() != -1) {
      // Nothing is asked for here.
    }
    System.exit(0);
  }
}
